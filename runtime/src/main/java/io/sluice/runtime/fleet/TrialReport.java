package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LARGEST_VERSION;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.yaml.JsonObject;
import java.util.List;

/**
 * The counts of a process since it applied a version that some callers try. Requests of callers that can be on no side of the trial
 * are not counted. Immutable.
 *
 * @param version the version on trial
 * @param digest the digest of the version on trial
 * @param share the percentage of callers that are on trial; 0 if they are named, -1 if that is unknown
 * @param watched whether these callers are only counted and try nothing yet
 * @param trial the callers that try the version, by their {@linkplain io.sluice.rules.snapshot.CallerPlace#group group}
 * @param control the other callers, in the same way
 */
public record TrialReport(
        long version, String digest, int share, boolean watched, List<Tally> trial, List<Tally> control) {

    public TrialReport {
        trial = List.copyOf(trial);
        control = List.copyOf(control);
        ReportText.checkVersion(version);
        ReportText.checkDigest(digest);
        if (trial.size() != CallerSplit.GROUPS || control.size() != CallerSplit.GROUPS) {
            throw new IllegalArgumentException("trial: " + trial.size() + " and " + control.size()
                    + " groups (expected: " + CallerSplit.GROUPS + " each)");
        }
    }

    /** Creates the report of a process that does not report who is on trial. */
    public TrialReport(long version, String digest, List<Tally> trial, List<Tally> control) {
        this(version, digest, -1, false, trial, control);
    }

    /** Returns whether these callers try this version, or are watched before they do. */
    public boolean isOf(long version, String digest, int share, boolean watched) {
        return this.version == version
                && this.digest.equals(digest)
                && (this.share == -1 || this.share == share)
                && this.watched == watched;
    }

    static TrialReport read(JsonObject fields) {
        return new TrialReport(
                fields.whole("version", 0, LARGEST_VERSION),
                fields.text("digest"),
                fields.has("share") ? (int) fields.whole("share", 0, 99) : -1,
                fields.flag("watched", false),
                tallies(fields, "trial"),
                tallies(fields, "control"));
    }

    /** Writes the fields into the current object. */
    void write(JsonLine line) {
        line.field("version", version).field("digest", digest);
        if (share >= 0) {
            line.field("share", (long) share);
        }
        line.field("watched", watched).field("trial", rows(trial)).field("control", rows(control));
    }

    private static List<Tally> tallies(JsonObject fields, String name) {
        return fields.rowsOfWholes(name).stream().map(Tally::of).toList();
    }

    private static List<List<Long>> rows(List<Tally> tallies) {
        return tallies.stream().map(Tally::numbers).toList();
    }
}
