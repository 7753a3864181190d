package io.sluice.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Label;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservationText;
import io.sluice.rules.reserve.ReservedLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class PermitSealsTest {

    private final PermitSeals seals = new PermitSeals();
    private final PermitSeals others = new PermitSeals();

    @Test
    void aTextOfAnotherNodeCanBeOpenedOnceTheCommonKeyIsKnown() {
        String text = others.seal(reservation()).orElseThrow();
        seals.awaitKey(true);

        assertThat(seals.openReservation(text)).isEmpty();
        assertThat(seals.awaitsKey()).isTrue();

        seals.learn(others.key());

        assertThat(seals.openReservation(text)).contains(reservation());
        assertThat(seals.awaitsKey()).isFalse();
    }

    @Test
    void aNodeWithoutAStoreAwaitsNothing() {
        assertThat(seals.awaitsKey()).isFalse();
        assertThat(seals.openReservation("forged" + seals.seal(reservation()).orElseThrow()))
                .isEmpty();
    }

    @Test
    void aReservationStaysValidWhenTheKeyChanges() {
        String text = seals.seal(reservation()).orElseThrow();
        seals.learn(others.key());
        assertThat(seals.openReservation(text)).contains(reservation());
        assertThat(others.openReservation(text)).isEmpty();
        assertThat(others.openReservation(seals.seal(reservation()).orElseThrow()))
                .contains(reservation());
    }

    /** Otherwise a seal that a node has put on the text of a permit could be put on that of a reservation. */
    @Test
    void theSealOfAPermitDoesNotOpenAReservation() throws Exception {
        String text = ReservationText.write(reservation()).orElseThrow();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(seals.key(), "HmacSHA256"));
        byte[] seal = Arrays.copyOf(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)), 18);
        String likeAPermit = text + Base64.getUrlEncoder().encodeToString(seal);

        assertThat(likeAPermit).hasSameSizeAs(seals.seal(reservation()).orElseThrow());
        assertThat(seals.openReservation(likeAPermit)).isEmpty();
        assertThat(seals.openReservation(seals.seal(reservation()).orElseThrow()))
                .contains(reservation());
    }

    private static Reservation reservation() {
        Limit limit = Limit.named("tokens").tokenBucket(Rate.perMinute(100));
        Label label = new Label("r", "r.tokens", "distributed");
        ReservedLimit reserved = new ReservedLimit(label, limit, "k", 5, 1, Duration.ofMinutes(5), null, "store");
        return new Reservation("id", "issuer", List.of(reserved));
    }
}
