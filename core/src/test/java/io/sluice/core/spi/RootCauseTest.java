package io.sluice.core.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class RootCauseTest {

    @Test
    void aRefusedConnectionIsNamedInWords() {
        for (String call : List.of("finishConnect(..) failed with error(-111): ", "finishConnect(..) failed: ", "")) {
            Throwable failure = new CompletionException(new IOException(call + "Connection refused"));
            assertThat(RootCause.words(failure)).isEqualTo("Connection refused");
        }
        assertThat(RootCause.words(new IOException("NOAUTH (..) failed: x"))).isEqualTo("NOAUTH (..) failed: x");
        assertThat(RootCause.words(new ClosedChannelException())).isEqualTo("connection closed");
        assertThat(RootCause.words(new CompletionException(new IOException()))).isEqualTo("IOException");
    }
}
