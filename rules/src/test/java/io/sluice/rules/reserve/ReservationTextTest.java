package io.sluice.rules.reserve;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Label;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.side.Side;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservationTextTest {

    /** Form 1, as commit 0c962b5f wrote it. */
    private static final String FORM_1 =
            "AQADci0xAAZub2RlLTEAAgALY29tcGxldGlvbnMAEmNvbXBsZXRpb25zLnRva2VucwALZGlzdHJpYnV0ZWQAEmNvbXBsZXRp"
                    + "b25zLnRva2Vuc3QAAAAAAAGGoAAAAAADk4cAAAAAAAAABoIABGFjbWUAAAAAAAAH0AAGCiQYHkAAAAAAAAAEk-AAHmFuc3dlci5qc29uLnVzYWdlLnRvdGFs"
                    + "X3Rva2VucwEABGhlcmUAC2hlcmUudG9rZW5zAAVsb2NhbAALaGVyZS50b2tlbnN3AAAAAAAAAGQAAAAAA5OHAAAAAAAAAAAAAAoABgokGB5AAQAAAAAAAHUwAAAA";

    @Test
    void reservationsInThisProcessAndTheStoreAreWrittenForNodesOfEarlierVersions() {
        assertThat(ReservationText.write(reservation(Side.STORE, Side.PROCESS))).contains(FORM_1);
    }

    @Test
    void reservationsOfEarlierVersionsAreRead() {
        assertThat(ReservationText.read(FORM_1)).contains(reservation(Side.STORE, Side.PROCESS));
    }

    @Test
    void reservationsOfOtherSidesNameThem() {
        Reservation reservation = reservation("ledger", Side.PROCESS);
        String text = ReservationText.write(reservation).orElseThrow();

        assertThat(Base64.getUrlDecoder().decode(text)[0]).isEqualTo((byte) 2);
        assertThat(ReservationText.read(text)).contains(reservation);
        for (int cut = 0; cut < text.length(); cut += 7) {
            assertThat(ReservationText.read(text.substring(0, cut))).isEmpty();
        }
    }

    private static Reservation reservation(String tokens, String here) {
        return new Reservation(
                "r-1",
                "node-1",
                List.of(
                        new ReservedLimit(
                                new Label("completions", "completions.tokens", "distributed"),
                                Limit.named("completions.tokens").tokenBucket(new Rate(100_000, Duration.ofMinutes(1))),
                                "acme",
                                2_000,
                                1_700_000_000_000_000L,
                                Duration.ofMinutes(5),
                                AnswerAttribute.parse("answer.json.usage.total_tokens"),
                                tokens),
                        new ReservedLimit(
                                new Label("here", "here.tokens", "local"),
                                Limit.named("here.tokens").fixedWindow(100, Duration.ofMinutes(1)),
                                "",
                                10,
                                1_700_000_000_000_001L,
                                Duration.ofSeconds(30),
                                null,
                                here)));
    }
}
