package io.sluice.examples.llm;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs a model, a gateway before it, and three tenants, and compares the books. Exits with 1 if they do not agree.
 *
 * <p>{@code --redis URI} keeps the counts in Redis. {@code --serve} starts model and gateway for you to call.
 */
public final class Llm {

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PAUSE_MILLIS = 50;

    private static final String AGREEMENT = """

            The books agree. Each budget lost exactly what the model used for complete answers, whether that was less than was reserved or
            more. For a stream that was left before it said what it cost, it lost what was reserved.
            """.stripTrailing();

    private Llm() {}

    public static void main(String[] args) throws Exception {
        System.exit(run(List.of(args), System.out));
    }

    /** Returns the exit code: 0 if the books agree, 1 if they do not, 2 for unknown arguments. */
    private static int run(List<String> args, PrintStream out) throws Exception {
        boolean serves = args.contains("--serve");
        List<String> rest = args.stream().filter(arg -> !arg.equals("--serve")).toList();
        if (!rest.isEmpty() && !(rest.size() == 2 && rest.get(0).equals("--redis"))) {
            System.err.println("llm: " + String.join(" ", args) + " (expected: [--redis URI] [--serve])");
            return 2;
        }
        Optional<String> redis = rest.isEmpty() ? Optional.empty() : Optional.of(rest.get(1));
        Path files = Path.of(System.getProperty("examples.home", "."));
        try (ModelServer model = ModelServer.start();
                ModelGateway gateway = ModelGateway.start(files, model.port(), redis)) {
            if (serves) {
                serve(gateway, out);
            }
            out.printf(
                    "acme asks short questions, globex wants long reports, and initech names no max_tokens and leaves streams.%n");
            Books books = compare(model, gateway, Tenant.three(), out);
            out.println(books);
            out.println(books.agree() ? AGREEMENT : "The books do not agree.");
            return books.agree() ? 0 : 1;
        }
    }

    private static void serve(ModelGateway gateway, PrintStream out) throws InterruptedException {
        out.printf("The gateway serves until you press Ctrl+C. Try, several times:%n%n");
        out.printf(
                "  curl -i %s/v1/chat/completions -H 'X-API-Key: key-of-acme' -H 'Content-Type: application/json' \\%n",
                gateway.address());
        out.printf(
                "    -d '{\"max_tokens\":500,\"messages\":[{\"role\":\"user\",\"content\":\"Tell me about rivers in 20 words.\"}]}'%n");
        new CountDownLatch(1).await();
    }

    /** Sends all requests, and returns the books once every reservation is settled, or after a minute. */
    static Books compare(ModelServer model, ModelGateway gateway, List<Tenant> tenants, PrintStream out)
            throws Exception {
        Map<String, Long> before = new HashMap<>();
        for (Tenant tenant : tenants) {
            before.put(tenant.name(), gateway.budgetLeft(tenant.name()));
        }
        long start = System.nanoTime();
        Map<String, Traffic.Seen> seen = new Traffic(gateway.address()).run(tenants);
        out.printf(
                "%d requests of %d tenants in %.1f s%n%n",
                tenants.stream().mapToInt(tenant -> tenant.prompts().size()).sum(),
                tenants.size(),
                (System.nanoTime() - start) / 1e9);
        // The gateway settles after the answer, and the model learns late that a caller has left.
        long over = System.nanoTime();
        Books books = books(model, gateway, tenants, seen, before);
        while (!books.agree() && System.nanoTime() - over < PATIENCE_NANOS) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            books = books(model, gateway, tenants, seen, before);
        }
        return books;
    }

    private static Books books(
            ModelServer model,
            ModelGateway gateway,
            List<Tenant> tenants,
            Map<String, Traffic.Seen> seen,
            Map<String, Long> before)
            throws IOException, InterruptedException {
        List<Books.Row> rows = new ArrayList<>();
        for (Tenant tenant : tenants) {
            String name = tenant.name();
            long counted = before.getOrDefault(name, 0L) - gateway.budgetLeft(name);
            rows.add(new Books.Row(
                    name,
                    seen.getOrDefault(name, Traffic.Seen.NONE),
                    model.ledger().of(name),
                    counted));
        }
        return new Books(rows);
    }
}
