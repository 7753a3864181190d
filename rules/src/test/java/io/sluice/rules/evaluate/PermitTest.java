package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.rules.side.Side;
import io.sluice.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PermitTest {

    /** Form 1, as commit 0c962b5f wrote it. */
    private static final String BOTH_SIDES =
            "AQARIjNEVWZ3iJmqu8zd7v8AAQAHdXBsb2FkcwAAAAAAAAAFAAAAAAHJw4AAAWEAAAAAAAAAAQACAARqb2JzAAAAAAAAAAoA"
                    + "AAAAA5OHAAALdGVuYW50PWFjbWUAAAAAAAAAAgADYWxsAAAAAAAAAGQAAAAABV1KgAAAAAAAAAAAAAE";

    /** The same permit, as commit 0c962b5f wrote it, if only the store holds permits. */
    private static final String STORE =
            "AQARIjNEVWZ3iJmqu8zd7v8AAAABAARqb2JzAAAAAAAAAAoAAAAAA5OHAAALdGVuYW50PWFjbWUAAAAAAAAAAg";

    private final byte[] nonce = nonce();
    private final List<Charge> uploads = List.of(charge("uploads", 5, 30, "a", 1));
    private final Charge jobs = charge("jobs", 10, 60, "tenant=acme", 2);
    private final List<Charge> both = List.of(jobs, charge("all", 100, 90, "", 1));

    @Test
    void noBytesThrowWhateverTheyAre() {
        Random random = SeededRandom.of("PermitTest");
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = (byte) (1 + i % 2);
            }
            Permit.read(Base64.getUrlEncoder().encodeToString(bytes));
            Permit.read(new String(bytes, StandardCharsets.ISO_8859_1));
        }
        assertThat(Permit.read("A".repeat(Permit.LONGEST + 1))).isEmpty();
    }

    @Test
    void permitsOfThisProcessAndTheStoreAreWrittenForNodesOfEarlierVersions() {
        assertThat(new Permit(nonce, Map.of(Side.STORE, both, Side.PROCESS, uploads)).text())
                .isEqualTo(BOTH_SIDES);
        assertThat(new Permit(nonce, Map.of(Side.STORE, List.of(jobs))).text()).isEqualTo(STORE);
    }

    @Test
    void permitsOfEarlierVersionsAreRead() {
        Permit permit = Permit.read(BOTH_SIDES).orElseThrow();

        assertThat(permit.heldBy(Side.PROCESS)).isEqualTo(uploads);
        assertThat(permit.heldBy(Side.STORE)).isEqualTo(both);
        assertThat(permit.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(jobs.holder()).isEqualTo("mc0S6idubilpKY0VEkmt_A");
        assertThat(Permit.read(STORE).orElseThrow().heldBy(Side.STORE)).containsExactly(jobs);
    }

    @Test
    void permitsOfOtherSidesNameThem() {
        String text = new Permit(nonce, Map.of(Side.STORE, both, "ledger", uploads)).text();
        Permit permit = Permit.read(text).orElseThrow();

        assertThat(Base64.getUrlDecoder().decode(text)[0]).isEqualTo((byte) 2);
        assertThat(permit.sides()).containsExactlyInAnyOrder(Side.STORE, "ledger");
        assertThat(permit.heldBy("ledger")).isEqualTo(uploads);
        assertThat(permit.heldBy(Side.STORE)).isEqualTo(both);
        assertThat(permit.heldBy(Side.PROCESS)).isEmpty();
        for (int cut = 0; cut < text.length(); cut += 7) {
            assertThat(Permit.read(text.substring(0, cut))).isEmpty();
        }
    }

    private Charge charge(String name, long most, long seconds, String key, long permits) {
        Limit limit = Limit.named(name).concurrency(most, Duration.ofSeconds(seconds));
        return new Charge(limit, key, permits, 0, Permit.holder(nonce, limit, key, permits));
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[Permit.NONCE_BYTES];
        for (int i = 0; i < nonce.length; i++) {
            nonce[i] = (byte) (i * 17);
        }
        return nonce;
    }
}
