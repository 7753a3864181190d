package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PermitTest {

    @Test
    void noBytesThrowWhateverTheyAre() {
        Random random = SeededRandom.of("PermitTest");
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = 1;
            }
            Permit.read(Base64.getUrlEncoder().encodeToString(bytes));
            Permit.read(new String(bytes, StandardCharsets.ISO_8859_1));
        }
        assertThat(Permit.read("A".repeat(Permit.LONGEST + 1))).isEmpty();
    }
}
