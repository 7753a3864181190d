package io.sluice.rules.redis;

import io.sluice.rules.snapshot.NodeShare;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of {@code rate_limit_config_version}: {@code 12}, or {@code 12 trial 13 share 10} while some of the nodes try the
 * next version.
 *
 * @param version in force for all nodes that are not in a trial
 */
record VersionPointer(long version, Optional<Trial> trial) {

    /** Longer than any valid text. */
    static final int LONGEST = 64;

    /** The highest number with fifteen digits. */
    static final long HIGHEST = 999_999_999_999_999L;

    private static final Pattern TEXT =
            Pattern.compile("([1-9][0-9]{0,14})(?: trial ([1-9][0-9]{0,14}) share ([1-9][0-9]?))?");

    /**
     * A version for some of the nodes.
     *
     * @param sharePercent the percentage of nodes, 1 to 99
     */
    record Trial(long version, int sharePercent) {}

    /** Parses the text; empty if it does not have this form. */
    static Optional<VersionPointer> parse(byte[] bytes) {
        Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!text.matches()) {
            return Optional.empty();
        }
        long version = Long.parseLong(text.group(1));
        Optional<Trial> trial = text.group(2) == null
                ? Optional.empty()
                : Optional.of(new Trial(Long.parseLong(text.group(2)), Integer.parseInt(text.group(3))));
        return trial.filter(tried -> tried.version() <= version).isPresent()
                ? Optional.empty()
                : Optional.of(new VersionPointer(version, trial));
    }

    static VersionPointer of(long version) {
        return new VersionPointer(version, Optional.empty());
    }

    /** Returns the highest version in use. */
    long highest() {
        return trial.map(Trial::version).orElse(version);
    }

    /** Returns the versions that a node may use, the preferred one first. */
    List<Long> wantedBy(NodeShare node) {
        return trial.filter(tried -> node.isWithin(tried.sharePercent()))
                .map(tried -> List.of(tried.version(), version))
                .orElse(List.of(version));
    }

    @Override
    public String toString() {
        return version
                + trial.map(tried -> " trial " + tried.version() + " share " + tried.sharePercent())
                        .orElse("");
    }
}
