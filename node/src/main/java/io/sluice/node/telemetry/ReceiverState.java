package io.sluice.node.telemetry;

import io.sluice.core.spi.RootCause;
import io.sluice.rules.yaml.PrintableText;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a receiver: whether it accepts data. Logs each change once. Thread-safe. */
final class ReceiverState {

    private static final Logger LOG = LoggerFactory.getLogger(ReceiverState.class);

    private final String address;
    private final String kind;
    private final AtomicBoolean away = new AtomicBoolean();

    /** @param kind the name of the data for the log */
    ReceiverState(String address, String kind) {
        this.address = address;
        this.kind = kind;
    }

    void took() {
        if (away.compareAndSet(true, false)) {
            LOG.info("the receiver at {} takes {} again", address, kind);
        }
    }

    void failed(@Nullable Throwable why) {
        if (away.compareAndSet(false, true)) {
            LOG.warn(
                    "the receiver at {} does not take {}; they are dropped until it does: {}",
                    address,
                    kind,
                    words(why));
        }
    }

    private static String words(@Nullable Throwable failure) {
        return failure == null
                ? "it does not answer in time, or refuses them"
                : PrintableText.text(RootCause.words(failure));
    }
}
