package io.sluice.runtime.participant;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SilencedLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClosingTest {

    @RegisterExtension
    static final SilencedLog QUIET = SilencedLog.of(Closing.class);

    private final List<String> closed = new ArrayList<>();
    private final Closing parts = new Closing();

    @Test
    void closesInTheReverseOrderEachPartOnce() {
        parts.add(() -> closed.add("first"));
        parts.add(() -> closed.add("second"));
        parts.add(() -> closed.add("third"));

        parts.close();
        parts.close();

        assertThat(closed).containsExactly("third", "second", "first");
    }

    @Test
    void aPartThatFailsKeepsNoOtherPartOpen() {
        parts.add(() -> closed.add("first"));
        parts.add(() -> {
            throw new IllegalStateException("stuck");
        });
        parts.add(() -> closed.add("third"));

        parts.close();

        assertThat(closed).containsExactly("third", "first");
    }
}
