package io.sluice.runtime.witness;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a witness of its center's audit log. It keeps the highest checkpoint that it accepted, and accepts only checkpoints
 * that extend it. The first checkpoint decides which log and key it trusts. While the center offers anything else, the witness keeps its
 * checkpoint and reports the reason. Offers must come from one thread; the other methods are thread-safe.
 */
public final class Witness {

    private static final Logger LOG = LoggerFactory.getLogger(Witness.class);

    /** The maximum time without a new checkpoint. The center signs one each minute. */
    private static final Duration MOST_SILENCE = Duration.ofMinutes(5);

    /** The maximum time without a proof. Through Redis, the proof for this node follows its report. */
    private static final Duration MOST_UNPROVEN = Duration.ofMinutes(1);

    private final Clock clock;
    private final @Nullable WitnessFile file;
    private volatile @Nullable HeldCheckpoint held;
    private volatile @Nullable Trouble trouble;

    /** The time at which the center last offered something new. The next field is the time since which its offers lack a proof. */
    private long freshNanos;

    private @Nullable Long unprovenNanos;

    /** The kinds of trouble. A change of the kind is logged. */
    private enum Kind {
        REFUSED,
        UNUSABLE,
        UNSTORED,
        SILENT
    }

    private record Trouble(Kind kind, String sentence) {}

    private Witness(Clock clock, @Nullable WitnessFile file) {
        this.clock = clock;
        this.file = file;
        this.freshNanos = clock.nanoTime();
    }

    /**
     * Creates a witness, and reads the checkpoint of its last run.
     *
     * @param data the directory that keeps the checkpoint; without one, the witness forgets it when the process ends
     */
    public static Witness of(Optional<Path> data, Clock clock) {
        Witness witness = new Witness(clock, data.map(WitnessFile::new).orElse(null));
        boolean unused = witness.refresh();
        return witness;
    }

    /** Takes the offer in an answer of the center. */
    public void heard(Optional<CheckpointOffer> offered) {
        if (offered.isPresent()) {
            heard(offered.get());
        } else {
            listen("the center answers without a checkpoint of its audit log");
        }
    }

    private void heard(CheckpointOffer offer) {
        HeldCheckpoint before = held;
        if (isQuiet() && before != null && before.checkpoint().equals(offer.checkpoint())) {
            listen("the center shows no newer checkpoint of its audit log");
            return;
        }
        if (!refresh()) {
            return;
        }
        OfferVerdict verdict = OfferVerdict.of(held, offer);
        if (!(verdict instanceof OfferVerdict.Unproven)) {
            unprovenNanos = null;
        }
        if (verdict instanceof OfferVerdict.Accepted accepted) {
            keep(accepted.next());
        } else if (verdict instanceof OfferVerdict.Refused refused) {
            refuse(refused.why());
        } else if (verdict instanceof OfferVerdict.Unproven unproven) {
            await(unproven.why());
        } else {
            if (!isQuiet()) {
                settle();
            }
            listen("the center shows no newer checkpoint of its audit log");
        }
    }

    /**
     * Reads the file, which another process may have replaced. Returns whether offers can be judged.
     *
     * <p>If the file was deleted while the witness refuses, the operator wants it to start again.
     */
    private boolean refresh() {
        if (file == null) {
            return true;
        }
        WitnessFile.Reading reading = file.read();
        if (reading instanceof WitnessFile.Reading.Unusable unusable) {
            turn(new Trouble(
                    Kind.UNUSABLE,
                    file.path() + " is " + unusable.why() + "; this node accepts no checkpoint of the audit log"
                            + " (expected: restore the file, or delete it to trust the next checkpoint)"));
            return false;
        }
        HeldCheckpoint known = held;
        if (reading instanceof WitnessFile.Reading.Found found) {
            if (!found.held().equals(known)) {
                held = found.held();
                freshNanos = clock.nanoTime();
            }
        } else if (known != null && canBeginAnew()) {
            LOG.warn(
                    "{} was deleted: this node forgets the audit log {} with {} rows, and trusts the next checkpoint",
                    file.path(),
                    known.log(),
                    known.checkpoint().size());
            held = null;
        }
        return true;
    }

    /** Returns whether a missing file is the operator's decision. A full or lost disk is not. */
    private boolean canBeginAnew() {
        Trouble now = trouble;
        return now != null && (now.kind == Kind.REFUSED || now.kind == Kind.UNUSABLE);
    }

    /** A checkpoint that is not stored is neither trusted nor reported. */
    private void keep(HeldCheckpoint next) {
        if (file != null) {
            try {
                if (!file.replace(held, next)) {
                    // Another process uses the file. The next offer reads its content.
                    return;
                }
            } catch (IOException e) {
                turn(new Trouble(
                        Kind.UNSTORED,
                        file.path() + " cannot be written: " + e + "; this node accepts no newer checkpoint of the"
                                + " audit log"));
                return;
            }
        }
        held = next;
        freshNanos = clock.nanoTime();
        settle();
    }

    private void refuse(String why) {
        freshNanos = clock.nanoTime();
        turn(new Trouble(Kind.REFUSED, why));
    }

    private void await(String why) {
        Long since = unprovenNanos;
        if (since == null) {
            unprovenNanos = clock.nanoTime();
        } else if (clock.nanoTime() - since >= MOST_UNPROVEN.toNanos()) {
            refuse(why);
        }
    }

    /** Checkpoints of a center that has never offered one are not missed. */
    private void listen(String what) {
        Trouble now = trouble;
        long silentNanos = clock.nanoTime() - freshNanos;
        if (held != null && silentNanos > MOST_SILENCE.toNanos() && (now == null || now.kind == Kind.SILENT)) {
            long minutes = Duration.ofNanos(silentNanos).toMinutes();
            turn(new Trouble(Kind.SILENT, "no checkpoint for " + minutes + " minutes: " + what));
        }
    }

    private void turn(Trouble next) {
        Trouble before = trouble;
        trouble = next;
        if (before == null || before.kind != next.kind) {
            LOG.warn("{}", sentence(next));
        }
    }

    private void settle() {
        if (trouble != null) {
            trouble = null;
            HeldCheckpoint now = held;
            LOG.info(
                    "the audit log of the center is accepted again, with {} rows",
                    now == null ? 0 : now.checkpoint().size());
        }
    }

    private static String sentence(Trouble of) {
        return of.kind == Kind.REFUSED ? "the audit log of the center is refused: " + of.sentence : of.sentence;
    }

    private boolean isQuiet() {
        Trouble now = trouble;
        return now == null || now.kind == Kind.SILENT;
    }

    /** Returns the report for the center; empty if the witness holds no checkpoint. */
    public Optional<WitnessReport> report() {
        HeldCheckpoint now = held;
        if (now == null) {
            return Optional.empty();
        }
        Checkpoint highest = now.checkpoint();
        Trouble known = trouble;
        return Optional.of(new WitnessReport(
                highest.log(),
                highest.size(),
                highest.root(),
                highest.atMillis(),
                now.key().id(),
                known == null || known.kind == Kind.SILENT ? Optional.empty() : Optional.of(known.sentence)));
    }

    /** Returns the problems, as sentences. */
    public List<String> findings() {
        Trouble now = trouble;
        return now == null ? List.of() : List.of(sentence(now));
    }

    /** Returns the number of rows of the highest checkpoint; 0 if there is none. */
    public long size() {
        HeldCheckpoint now = held;
        return now == null ? 0 : now.checkpoint().size();
    }

    /** Returns whether the witness refuses the offers of the center, or cannot read or write its file. */
    public boolean isRefusing() {
        return !isQuiet();
    }

    /** Returns the age of the signature of the highest checkpoint, in seconds; empty if there is none. */
    public OptionalLong ageSeconds() {
        HeldCheckpoint now = held;
        if (now == null) {
            return OptionalLong.empty();
        }
        long millis = clock.epochMicros() / 1_000 - now.checkpoint().atMillis();
        return OptionalLong.of(Math.max(0, millis / 1_000));
    }
}
