package io.sluice.examples.flashsale;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Starts everything, sends the rush, and prints the result. */
public final class FlashSale {

    /** The first argument of an instance's command line. */
    static final String INSTANCE = "instance";

    private FlashSale() {}

    /** Exits with 0 if no second exceeded the limit, with 1 if one did or something failed, with 2 on bad usage. */
    public static void main(String[] args) throws Exception {
        List<String> words = Arrays.asList(args);
        if (!words.isEmpty() && words.get(0).equals(INSTANCE)) {
            Instance.run(words.subList(1, words.size()).toArray(String[]::new));
            return;
        }
        if (words.contains("--help")) {
            System.out.println(Options.USAGE);
            return;
        }
        System.exit(run(words));
    }

    private static int run(List<String> words) throws InterruptedException {
        try {
            Options options = Options.parse(words);
            Rush.Result result = Rush.run(options, new ProgressLine(Boolean.getBoolean("examples.terminal")));
            Path plot = Path.of("flash-sale.png");
            Plot.write(result.tally(), options.limit(), plot);
            System.out.print(result.summary());
            System.out.println("plot: " + plot.toAbsolutePath());
            return result.isHeld() ? 0 : 1;
        } catch (IllegalArgumentException e) {
            System.err.println("flash-sale: " + e.getMessage());
            return 2;
        } catch (IOException | RuntimeException e) {
            Throwable cause = e.getCause() instanceof IllegalStateException told ? told : e;
            System.err.println("flash-sale: " + cause.getMessage());
            return 1;
        }
    }
}
