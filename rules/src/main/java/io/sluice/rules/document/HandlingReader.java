package io.sluice.rules.document;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.Mode;
import io.sluice.rules.yaml.Fields;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads the part of a rule that determines where and how its limits are decided. */
final class HandlingReader {

    private static final String AUTO = "auto";
    private static final String OFF = "off";

    private HandlingReader() {}

    static Handling read(Fields fields) {
        return fields.hasAny(DocumentKeys.HANDLING) ? given(fields) : Handling.DEFAULT;
    }

    private static Handling given(Fields fields) {
        Mode mode = fields.choice("mode", DocumentWords.MODES).orElse(Mode.DISTRIBUTED);
        Lease lease = fields.fields("lease", DocumentKeys.LEASE)
                .map(HandlingReader::lease)
                .orElse(Lease.DEFAULT);
        OptionalDouble guard = guard(fields);
        boolean leased = mode == Mode.LOCAL_DISTRIBUTED;
        if (fields.has("lease") && !leased) {
            fields.refuseKey(
                    "lease",
                    "lease: not allowed with mode " + mode.word()
                            + " (expected: mode: local_distributed, the only mode that takes leases)");
        }
        boolean guarded = mode != Mode.LOCAL;
        if (guard.isPresent() && !guarded) {
            fields.refuseKey(
                    "guard",
                    "guard: not allowed with mode local"
                            + " (expected: mode distributed or local_distributed; local has no store to guard)");
        }
        Handling read = new Handling(
                mode,
                leased ? lease : Lease.DEFAULT,
                fields.choice("on_failure", DocumentWords.POLICIES).orElse(FailurePolicy.LOCAL),
                optional(fields.share("local_share")),
                fields.read("deadline", text -> Quantities.span("deadline", text, Handling.LONGEST_DEADLINE))
                        .orElse(Limiter.DEFAULT_DEADLINE),
                guarded ? guard : OptionalDouble.empty());
        return read.equals(Handling.DEFAULT) ? Handling.DEFAULT : read;
    }

    private static Lease lease(Fields fields) {
        boolean auto = fields.isWord("size", AUTO);
        return new Lease(
                (auto ? Optional.<Long>empty() : fields.whole("size", 1, Limit.MAX_PERMITS))
                        .map(OptionalLong::of)
                        .orElse(Lease.DEFAULT.size()),
                fields.share("share").orElse(Lease.DEFAULT.share()),
                fields.read("ttl", text -> Quantities.span("ttl", text, Lease.LONGEST_TTL))
                        .orElse(Lease.DEFAULT.ttl()));
    }

    private static OptionalDouble guard(Fields fields) {
        return fields.isWord("guard", OFF)
                ? OptionalDouble.empty()
                : optional(fields.decimal(
                        "guard", times -> times >= 1 && times <= Handling.LARGEST_GUARD, "off, or 1 to 1000"));
    }

    private static OptionalDouble optional(Optional<Double> number) {
        return number.map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }
}
