# Sourced with $root set: finds or installs the programs that tests drive, and exports their places.

skyjo_tests_use() {
    grep -rqs --include='*.py' "$1" "$root/tests"
}

skyjo_apt_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null || return 1
    echo "installing $1 ..." >&2
    # An old list of packages names files that are gone, so it is renewed first.
    apt-get update -qq > /dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" \
        > /dev/null 2>&1 < /dev/null
}

skyjo_find_chromium() {
    for candidate in "${SKYJO_TEST_CHROMIUM:-}" chromium chromium-browser google-chrome \
        google-chrome-stable "/Applications/Chromium.app/Contents/MacOS/Chromium" \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        [ -n "$candidate" ] || continue
        if found=$(command -v "$candidate"); then
            SKYJO_TEST_CHROMIUM=$found
            export SKYJO_TEST_CHROMIUM
            return 0
        fi
    done
    return 1
}

skyjo_need_chromium() {
    skyjo_find_chromium && return 0
    skyjo_apt_install chromium
    skyjo_find_chromium && return 0
    echo "The tests need Chromium: install it, or name its program in SKYJO_TEST_CHROMIUM." >&2
    return 1
}

skyjo_find_postgres() {
    for folder in "${SKYJO_TEST_PG_BIN:-}" $(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -rV) \
        "$(command -v pg_config > /dev/null && pg_config --bindir 2> /dev/null)" \
        /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
        if [ -n "$folder" ] && [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then
            SKYJO_TEST_PG_BIN=$folder
            export SKYJO_TEST_PG_BIN
            return 0
        fi
    done
    return 1
}

skyjo_need_postgres() {
    skyjo_find_postgres && return 0
    skyjo_apt_install postgresql
    skyjo_find_postgres && return 0
    echo "The tests need PostgreSQL's server programs: install them, or name their folder in" \
        "SKYJO_TEST_PG_BIN." >&2
    return 1
}
