package io.sluice.replay.log;

import java.util.Arrays;

/**
 * Reads the times of logs: {@code 17/Nov/2026:22:41:33 +0000}, ISO 8601 with or without a fraction and an offset, and numbers since the
 * epoch in seconds, milliseconds, microseconds or nanoseconds. Without an offset, the time is UTC. Not thread-safe: it remembers the last
 * text, because most lines have the same second as the line before.
 */
final class TimeText {

    /** The result for a text that is not a time. */
    static final long NONE = Long.MIN_VALUE;

    /** The earliest time: 1990. Times before 1990 and from 2200 on are mistakes. */
    static final long EARLIEST_MICROS = 631_152_000_000_000L;

    static final long LATEST_MICROS = 7_258_118_400_000_000L;

    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final long SECOND = 1_000_000;
    private static final int MOST_DIGITS = 19;

    private byte[] lastText = {};
    private long lastMicros = NONE;

    private byte[] in = {};
    private int at;
    private int end;

    /** Returns microseconds since the epoch, or {@link #NONE} if the text is not a time from 1990 to 2199. */
    long micros(byte[] text, int from, int to) {
        if (Arrays.equals(text, from, to, lastText, 0, lastText.length) && lastText.length > 0) {
            return lastMicros;
        }
        in = text;
        at = from;
        end = to;
        long micros = read();
        boolean plausible = micros >= EARLIEST_MICROS && micros < LATEST_MICROS;
        lastText = Arrays.copyOfRange(text, from, to);
        lastMicros = plausible ? micros : NONE;
        return lastMicros;
    }

    private long read() {
        if (end - at > 2 && in[at + 2] == '/') {
            return common();
        }
        return end - at > 4 && in[at + 4] == '-' ? iso() : number();
    }

    /** Reads {@code 17/Nov/2026:22:41:33 +0000}. */
    private long common() {
        int day = digits(2);
        if (!skip('/') || end - at < 3) {
            return NONE;
        }
        int month = month();
        at += 3;
        if (month < 1 || !skip('/')) {
            return NONE;
        }
        int year = digits(4);
        return skip(':') ? clock(year, month, day) : NONE;
    }

    private int month() {
        for (int i = 0; i < MONTHS.length(); i += 3) {
            if (in[at] == MONTHS.charAt(i)
                    && in[at + 1] == MONTHS.charAt(i + 1)
                    && in[at + 2] == MONTHS.charAt(i + 2)) {
                return i / 3 + 1;
            }
        }
        return 0;
    }

    private long iso() {
        int year = digits(4);
        int month = skip('-') ? digits(2) : -1;
        int day = skip('-') ? digits(2) : -1;
        return skip('T') || skip(' ') ? clock(year, month, day) : NONE;
    }

    /** Reads the time of the day, a fraction and an offset. */
    private long clock(int year, int month, int day) {
        int hour = digits(2);
        int minute = skip(':') ? digits(2) : -1;
        int second = skip(':') ? digits(2) : -1;
        boolean valid = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days(year, month);
        if (!valid || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
            return NONE;
        }
        long fraction = skip('.') || skip(',') ? fraction() : 0;
        skip(' ');
        long offset = offset();
        if (fraction < 0 || offset == NONE || at != end) {
            return NONE;
        }
        long seconds = daysSinceEpoch(year, month, day) * 86_400L + hour * 3_600L + minute * 60L + second - offset;
        return seconds * SECOND + fraction;
    }

    private static int days(int year, int month) {
        if (month == 2) {
            return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }

    /** Counts years from March, so that the leap day is the last day of a year. */
    private static long daysSinceEpoch(int year, int month, int day) {
        long y = month <= 2 ? year - 1L : year;
        long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468;
    }

    /** Reads a fraction of a second in microseconds; digits after the sixth are dropped. */
    private long fraction() {
        long micros = 0;
        int count = 0;
        for (; at < end && isDigit(in[at]); at++) {
            if (count++ < 6) {
                micros = micros * 10 + in[at] - '0';
            }
        }
        for (int i = count; i < 6; i++) {
            micros *= 10;
        }
        return count == 0 ? -1 : micros;
    }

    /** Reads {@code Z}, {@code +0100}, {@code +01:00} or nothing. Returns seconds. */
    private long offset() {
        if (at == end || (skip('Z') && at == end)) {
            return 0;
        }
        int sign = skip('+') ? 1 : skip('-') ? -1 : 0;
        int hours = digits(2);
        skip(':');
        int minutes = digits(2);
        return sign == 0 || hours < 0 || hours > 18 || minutes < 0 || minutes > 59
                ? NONE
                : sign * (hours * 3_600L + minutes * 60L);
    }

    /** Reads a number since the epoch. Its size shows its unit: a present time has 10 digits in seconds and 13 in milliseconds. */
    private long number() {
        long whole = 0;
        int count = 0;
        for (; at < end && isDigit(in[at]) && count < MOST_DIGITS; at++, count++) {
            whole = whole * 10 + in[at] - '0';
        }
        long fraction = skip('.') ? fraction() : 0;
        if (count == 0 || whole < 0 || fraction < 0 || at != end) {
            return NONE;
        }
        if (whole < 100_000_000_000L) {
            return whole * SECOND + fraction;
        }
        if (whole < 100_000_000_000_000L) {
            return whole * 1_000 + fraction / 1_000;
        }
        return whole < 100_000_000_000_000_000L ? whole : whole / 1_000;
    }

    private int digits(int count) {
        int value = 0;
        for (int i = 0; i < count; i++) {
            if (at >= end || !isDigit(in[at])) {
                return -1;
            }
            value = value * 10 + in[at++] - '0';
        }
        return value;
    }

    private boolean skip(char c) {
        if (at < end && in[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
