package io.sluice.center.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.http.BodyReader.RefusedBodyException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A body is bounded in length and in time. */
class BodyReaderTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final AtomicLong nanos = new AtomicLong();
    private final BodyReader reader = new BodyReader(nanos::get);

    @Test
    void readsABodyToItsEnd() throws Exception {
        byte[] body = new byte[50_000];
        assertThat(reader.read(new ByteArrayInputStream(body), -1, 50_000, PATIENCE)
                        .bytes())
                .hasSize(50_000);
    }

    @Test
    void longBodiesTakeAPartOfTheMemoryTogether() throws Exception {
        int mebibyte = 1024 * 1024;
        BodyReader small = new BodyReader(nanos::get, 64L * mebibyte);
        byte[] long3 = new byte[3 * mebibyte];
        try (BodyReader.Body first = small.read(new ByteArrayInputStream(long3), -1, 10 * mebibyte, PATIENCE)) {
            assertThat(first.bytes()).hasSize(long3.length);
            // Of 4 MiB, one is left, with or without an announced length. Short bodies need none of them.
            for (long announced : new long[] {-1, long3.length}) {
                assertRefused(
                        503, () -> small.read(new ByteArrayInputStream(long3), announced, 10 * mebibyte, PATIENCE));
            }
            small.read(new ByteArrayInputStream(new byte[mebibyte]), -1, mebibyte, PATIENCE)
                    .close();
        }
        small.read(new ByteArrayInputStream(long3), long3.length, 10 * mebibyte, PATIENCE)
                .close();
        assertRefused(413, () -> small.read(new ByteArrayInputStream(long3), 5L * mebibyte, 10 * mebibyte, PATIENCE));
    }

    @Test
    void aBodyThatIsTooLongIsNeverReadToItsEnd() {
        ByteArrayInputStream body = new ByteArrayInputStream(new byte[1_000_000]);
        assertRefused(413, () -> reader.read(body, -1, 64 * 1024, PATIENCE));
        assertThat(body.available()).isGreaterThan(900_000);
    }

    @Test
    void anAnnouncedLengthThatIsTooLongIsRefusedAtOnce() {
        ByteArrayInputStream body = new ByteArrayInputStream(new byte[100]);
        assertRefused(413, () -> reader.read(body, 65, 64, PATIENCE));
        assertThat(body.available()).isEqualTo(100);
    }

    @Test
    void aSlowBodyNeverTakesLongerThanItsTime() {
        InputStream slow = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                nanos.addAndGet(Duration.ofSeconds(3).toNanos());
                return 1;
            }
        };
        assertRefused(408, () -> reader.read(slow, -1, 64, PATIENCE));
        assertThat(Duration.ofNanos(nanos.get())).isEqualTo(Duration.ofSeconds(12));
    }

    private static void assertRefused(int status, org.assertj.core.api.ThrowableAssert.ThrowingCallable read) {
        assertThatThrownBy(read)
                .isInstanceOfSatisfying(RefusedBodyException.class, refused -> assertThat(refused.status())
                        .isEqualTo(status));
    }
}
