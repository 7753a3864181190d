package io.sluice.replay.log;

import java.util.ArrayList;
import java.util.List;

/** The lines that could not be replayed: their number, and the first few of them. Not thread-safe. */
public final class LogProblems {

    private static final int SHOWN = 10;

    private long unreadable;
    private long late;
    private final List<String> firstUnreadable = new ArrayList<>();
    private final List<String> firstLate = new ArrayList<>();
    private final List<String> damaged = new ArrayList<>();

    void unreadable(String file, long line, String problem) {
        if (unreadable++ < SHOWN) {
            firstUnreadable.add(file + ":" + line + ":" + problem);
        }
    }

    void late(String file, long line) {
        if (late++ < SHOWN) {
            firstLate.add(file + ":" + line
                    + ":1: more than a minute behind the lines before it (expected: the order of time)");
        }
    }

    void damaged(String file, long line, String problem) {
        damaged.add(file + ":" + line + ":1: the file ends early: " + problem + " (expected: a whole file)");
    }

    /** Returns the number of lines that are no requests. */
    public long unreadable() {
        return unreadable;
    }

    /** Returns the number of lines that were left out because they came too late. */
    public long late() {
        return late;
    }

    /** Returns the first few lines that are no requests: {@code FILE:LINE:COL: problem}. They do not contain values of the line. */
    public List<String> firstUnreadable() {
        return List.copyOf(firstUnreadable);
    }

    /** Returns the first few lines that came too late. */
    public List<String> firstLate() {
        return List.copyOf(firstLate);
    }

    /** Returns the files that could not be read to their end. The lines before the damage were replayed. */
    public List<String> damaged() {
        return List.copyOf(damaged);
    }
}
