package io.sluice.rules.yaml;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that the user probably meant. */
public final class Spelling {

    private static final int LONGEST = 64;
    private static final int SHORTEST_BEGINNING = 3;

    private Spelling() {}

    /**
     * Returns the known word nearest to the given word, if it is near enough: at most a third of the letters may differ, but
     * always at least one. Otherwise returns the first known word that begins with the given word.
     */
    static Optional<String> nearest(String word, Collection<String> known) {
        if (word.length() > LONGEST) {
            return Optional.empty();
        }
        String best = null;
        int least = Math.max(1, word.length() / 3) + 1;
        for (String candidate : known) {
            int distance = distance(word.toLowerCase(Locale.ROOT).replace('-', '_'), candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return Optional.ofNullable(best).or(() -> known.stream()
                .filter(candidate -> word.length() >= SHORTEST_BEGINNING && candidate.startsWith(word))
                .map(String::valueOf)
                .findFirst());
    }

    /** Returns the number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
    public static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
