package io.sluice.examples.llm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the whole example: a real gateway, and a model that streams. */
@Timeout(300)
final class LlmTest {

    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8);

    @Test
    void theBooksOfGatewayAndModelAgree() throws Exception {
        try (ModelServer model = ModelServer.start();
                ModelGateway gateway = ModelGateway.start(Path.of("."), model.port(), Optional.empty())) {
            Books books = Llm.compare(model, gateway, Tenant.three(), NOWHERE);

            assertThat(books.agree()).as("%s", books).isTrue();
            Books.Row acme = books.rows().get(0);
            Books.Row globex = books.rows().get(1);
            Books.Row initech = books.rows().get(2);
            assertThat(acme.seen().answered()).isEqualTo(24);
            assertThat(acme.settled()).isPositive().isLessThan(acme.seen().reserved());
            assertThat(globex.seen().answered() + globex.seen().refused()).isEqualTo(16);
            assertThat(globex.settled()).isPositive().isLessThan(globex.seen().reserved());
            assertThat(initech.seen().left()).isEqualTo(6);
            assertThat(initech.seen().standing()).isEqualTo(60_000);
            assertThat(initech.settled())
                    .isGreaterThan(initech.seen().reserved() - initech.seen().standing());
        }
    }

    @Test
    void theBooksDoNotAgreeIfATokenIsMissing() {
        Traffic.Seen seen = new Traffic.Seen(2, 0, 1, 3_000, 1_000);
        Ledger.Entry model = new Ledger.Entry(2, 700, 1, 30);

        assertThat(new Books(List.of(new Books.Row("acme", seen, model, 1_700))).agree())
                .isTrue();
        Books wrong = new Books(List.of(new Books.Row("acme", seen, model, 1_699)));
        assertThat(wrong.agree()).isFalse();
        assertThat(wrong.toString()).endsWith("NO");
    }
}
