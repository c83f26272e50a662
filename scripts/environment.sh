# Sourced with $root set: leaves a complete, current environment in $root/.venv, or fails.
# The usual case costs a few milliseconds: it compares one small file and looks at a few dates.

skyjo_find_python() {
    for candidate in "${SKYJO_PYTHON:-}" python3.13 python3.12 python3.11 python3.14 python3 python; do
        [ -n "$candidate" ] || continue
        # Running it is the only safe test: version managers leave commands that only complain.
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    uv python find --no-python-downloads '>=3.11' 2>/dev/null
}

skyjo_environment_is_current() {
    [ -x "$root/.venv/bin/python" ] || return 1
    { printf '%s\n' "$root"; cat "$root/requirements-dev.txt" "$root/pyproject.toml" \
        "$root/hatch_build.py"; } | cmp -s - "$root/.venv/skyjo-stamp" || return 1
}

if ! skyjo_environment_is_current; then
    skyjo_python=$(skyjo_find_python)
    if [ -z "$skyjo_python" ]; then
        echo "skyjo needs Python 3.11 or newer; install it, or name one in SKYJO_PYTHON." >&2
        return 1
    fi
    "$skyjo_python" "$root/scripts/make_environment.py" >&2 || return 1
fi

for po in "$root"/src/skyjo/locale/*/LC_MESSAGES/*.po; do
    [ -e "$po" ] || continue
    if [ ! "${po%.po}.mo" -nt "$po" ]; then
        "$root/.venv/bin/python" "$root/hatch_build.py" || return 1
        break
    fi
done
