package io.sluice.rules.redis;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.TrialPointer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of {@code rate_limit_config_version}: {@code 12}, or {@code 12 trial 13 share 10} while some of the nodes or callers
 * try the next version.
 *
 * @param version the version in force for all nodes and callers outside a trial
 * @param trial a higher version on trial, and its scope
 */
record VersionPointer(long version, Optional<TrialPointer> trial) {

    /** The maximum length. Longer texts are refused. */
    static final int LONGEST = TrialPointer.LONGEST;

    /** The highest number with fifteen digits. */
    static final long HIGHEST = 999_999_999_999_999L;

    private static final Pattern TEXT = Pattern.compile("([1-9][0-9]{0,14})(?: trial (.*))?");

    /** Parses the text; empty if it does not have this form. */
    static Optional<VersionPointer> parse(byte[] bytes) {
        if (bytes.length > LONGEST) {
            return Optional.empty();
        }
        Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!text.matches()) {
            return Optional.empty();
        }
        long version = Long.parseLong(text.group(1));
        return text.group(2) == null
                ? Optional.of(of(version))
                : TrialPointer.parse(text.group(2))
                        .filter(trial -> trial.version() > version)
                        .map(trial -> new VersionPointer(version, Optional.of(trial)));
    }

    static VersionPointer of(long version) {
        return new VersionPointer(version, Optional.empty());
    }

    /** Returns the highest version in use. */
    long highest() {
        return trial.map(TrialPointer::version).orElse(version);
    }

    /** Returns the versions that a node may use for all its callers, the preferred one first. */
    List<Long> wantedBy(NodeShare node) {
        return trial.filter(tried -> tried.scope() instanceof TrialScope.Nodes nodes && node.isWithin(nodes.percent()))
                .map(tried -> List.of(tried.version(), version))
                .orElse(List.of(version));
    }

    /** Returns the callers that try the version on trial; empty if callers try none. */
    Optional<CallerSplit> split() {
        return trial.filter(tried -> tried.scope() instanceof TrialScope.Callers)
                .map(tried -> ((TrialScope.Callers) tried.scope()).split());
    }

    @Override
    public String toString() {
        return version + trial.map(tried -> " trial " + tried).orElse("");
    }
}
