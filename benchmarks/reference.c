/* What a core can do: uniformly random Skyjo (rules 2.18) written by hand for speed.
 *
 *     gcc -O3 -march=native -o reference reference.c && ./reference 2 1000000
 *
 * prints seats, decisions a second, decisions a round and the mean score. Only the official rules
 * with a constant number of seats at a time: complete shuffle of the 150 cards, two random opening
 * cards, columns, one last turn each, reshuffle of the discards, final reveal with columns, and the
 * doubling. No knobs, no phases, no legality, no views: what is left is the game itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 12, COLUMNS = 4, DECK = 150, HIDDEN = 32, GONE = 98 };

static uint64_t state = 0x9E3779B97F4A7C15u;

static inline uint32_t roll(void)
{
    uint32_t low = (uint32_t)state, high = (uint32_t)(state >> 32);
    state = low * 4294883355ull + high;
    return low ^ high;
}

static inline uint32_t below(uint32_t limit) { return (uint32_t)((uint64_t)roll() * limit >> 32); }

static int8_t sorted[DECK], pile[DECK], discards[DECK], cells[8][SLOTS];
static int draw_size, discard_size, hidden[8];

static void shuffle(int8_t *cards, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)below((uint32_t)i + 1);
        int8_t card = cards[i];
        cards[i] = cards[j];
        cards[j] = card;
    }
}

static inline int matches(const int8_t *grid, int column)
{
    return grid[column] == grid[column + 4] && grid[column] == grid[column + 8] && grid[column] <= 12;
}

static inline void clear_column(int8_t *grid, int column)
{
    if (matches(grid, column))
        for (int row = 0; row < 3; row++) {
            discards[discard_size++] = grid[column + 4 * row];
            grid[column + 4 * row] = GONE;
        }
}

static int draw(void)
{
    if (draw_size == 0) {
        int8_t top = discards[discard_size - 1];
        memcpy(pile, discards, (size_t)discard_size - 1);
        draw_size = discard_size - 1;
        shuffle(pile, draw_size);
        discards[0] = top;
        discard_size = 1;
    }
    return pile[--draw_size];
}

static inline void put(int seat, int slot, int card)
{
    int8_t old = cells[seat][slot];
    if (old > 12) {
        old -= HIDDEN;
        hidden[seat]--;
    }
    cells[seat][slot] = (int8_t)card;
    discards[discard_size++] = old;
    clear_column(cells[seat], slot & 3);
}

static inline int any_card(int seat)
{
    int slot;
    do slot = (int)below(SLOTS);
    while (cells[seat][slot] == GONE);
    return slot;
}

static void turn(int seat)
{
    if (roll() >> 31) {
        int card = discards[--discard_size];
        put(seat, any_card(seat), card);
        return;
    }
    int card = draw();
    for (;;) {
        int choice = (int)below(2 * SLOTS);
        if (choice < SLOTS) {
            if (cells[seat][choice] == GONE) continue;
            put(seat, choice, card);
            return;
        }
        choice -= SLOTS;
        if (cells[seat][choice] <= 12 || cells[seat][choice] == GONE) continue;
        discards[discard_size++] = (int8_t)card;
        cells[seat][choice] -= HIDDEN;
        hidden[seat]--;
        clear_column(cells[seat], choice & 3);
        return;
    }
}

static int first_player(int seats)
{
    int best = 0, best_sum = -100, best_card = -100;
    for (int seat = 0; seat < seats; seat++) {
        int sum = 0, high = -100;
        for (int slot = 0; slot < SLOTS; slot++)
            if (cells[seat][slot] <= 12) {
                sum += cells[seat][slot];
                if (cells[seat][slot] > high) high = cells[seat][slot];
            }
        if (sum > best_sum || (sum == best_sum && high > best_card)) {
            best = seat;
            best_sum = sum;
            best_card = high;
        }
    }
    return best;
}

static long play_round(int seats, long *points)
{
    long decisions = 0;
    memcpy(pile, sorted, DECK);
    shuffle(pile, DECK);
    draw_size = DECK;
    for (int seat = 0; seat < seats; seat++) {
        for (int slot = 0; slot < SLOTS; slot++) cells[seat][slot] = pile[--draw_size] + HIDDEN;
        int first = (int)below(SLOTS), second = (int)below(SLOTS - 1);
        second += second >= first;
        cells[seat][first] -= HIDDEN;
        cells[seat][second] -= HIDDEN;
        hidden[seat] = SLOTS - 2;
    }
    discards[0] = pile[--draw_size];
    discard_size = 1;
    int seat = first_player(seats), finisher;
    for (;;) {
        turn(seat);
        decisions += 2;
        if (hidden[seat] == 0) break;
        seat = seat + 1 == seats ? 0 : seat + 1;
    }
    finisher = seat;
    for (int i = 1; i < seats; i++) {
        seat = seat + 1 == seats ? 0 : seat + 1;
        turn(seat);
        decisions += 2;
    }
    int sums[8], lowest = 1000;
    for (seat = 0; seat < seats; seat++) {
        int sum = 0;
        for (int slot = 0; slot < SLOTS; slot++)
            if (cells[seat][slot] > 12 && cells[seat][slot] != GONE) cells[seat][slot] -= HIDDEN;
        for (int column = 0; column < COLUMNS; column++) clear_column(cells[seat], column);
        for (int slot = 0; slot < SLOTS; slot++)
            if (cells[seat][slot] <= 12) sum += cells[seat][slot];
        sums[seat] = sum;
        if (seat != finisher && sum < lowest) lowest = sum;
    }
    if (sums[finisher] > 0 && lowest <= sums[finisher]) sums[finisher] *= 2;
    for (seat = 0; seat < seats; seat++) *points += sums[seat];
    return decisions;
}

int main(int count, char **words)
{
    int seats = count > 1 ? atoi(words[1]) : 2;
    long rounds = count > 2 ? atol(words[2]) : 1000000, decisions = 0, points = 0;
    int place = 0;
    if (seats < 2 || seats > 8 || rounds < 1) {
        fprintf(stderr, "usage: reference [seats, 2 to 8] [rounds]\n");
        return 2;
    }
    for (int value = -2; value <= 12; value++)
        for (int i = 0; i < (value == -2 ? 5 : value == 0 ? 15 : 10); i++)
            sorted[place++] = (int8_t)value;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < rounds; i++) decisions += play_round(seats, &points);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("{\"seats\": %d, \"decisions_per_s\": %.0f, \"decisions_per_round\": %.2f, \"mean_score\": %.3f}\n",
           seats, (double)decisions / seconds, (double)decisions / (double)rounds,
           (double)points / (double)rounds / seats);
    return 0;
}
