package io.sluice.center.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Chromium;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Somebody who uses the console in a real browser. Closing it fails if a script failed or the content security policy forbade something,
 * unless the test said that it expects that.
 */
public final class ConsoleBrowser implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final int MOST_LOOKS = 5;

    private final Chromium chromium;
    private final URI url;
    private final List<String> errors = new ArrayList<>();
    private final List<Pattern> expected = new ArrayList<>();

    private ConsoleBrowser(Chromium chromium, URI url) {
        this.chromium = chromium;
        this.url = url;
    }

    /**
     * Opens a browser.
     *
     * @param directory for its profile
     * @param url of the center
     */
    public static ConsoleBrowser open(Path directory, URI url) throws IOException {
        ConsoleBrowser browser = new ConsoleBrowser(Chromium.open(directory), url);
        browser.chromium.size(1440, 900);
        browser.chromium.go(url + "/assets/icon.svg");
        return browser;
    }

    /** Returns the browser itself. */
    public Chromium page() {
        return chromium;
    }

    /** Signs somebody in with the password of the stage, as a program in the page would. Nothing is shown. */
    public ConsoleBrowser signIn(String name) {
        chromium.go(url + "/assets/icon.svg");
        chromium.forgetCookies();
        String status = chromium.async(
                "const done = arguments[arguments.length - 1];"
                        + "fetch('/api/session', {method: 'POST', headers: {'Content-Type': 'application/json'},"
                        + " body: JSON.stringify({user: arguments[0], password: arguments[1]})})"
                        + ".then((answer) => done(String(answer.status)), (failure) => done(String(failure)))",
                name,
                ConsoleStage.PASSWORD);
        assertThat(status).as("sign-in of " + name).startsWith("20");
        return this;
    }

    /** Sets colours and language of the pages that are opened from now on. */
    public ConsoleBrowser look(String theme, String language) {
        chromium.script(
                "localStorage.setItem('sluice.theme', arguments[0]);"
                        + "localStorage.setItem('sluice.language', arguments[1])",
                theme,
                language);
        return this;
    }

    /** Opens a view and waits until it shows its data. */
    public ConsoleBrowser view(String path) {
        chromium.go(url + path);
        return ready();
    }

    /** Goes to another view of the console without loading the document again, and waits until it shows its data. */
    public ConsoleBrowser move(String path) {
        chromium.script(
                "history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", path);
        return ready();
    }

    /** Waits until the view of the address shows its data. */
    public ConsoleBrowser ready() {
        Await.untilSeldom(
                "data of the view at " + chromium.url(),
                PATIENCE,
                () -> Boolean.parseBoolean(
                        chromium.script("const main = document.querySelector('main[data-ready=true]');"
                                + "return main !== null && (main.dataset.path === location.pathname"
                                + " || document.querySelector('#problem') !== null)")));
        return this;
    }

    /** Waits until the page has been drawn, and nothing moves to its place any more. */
    public ConsoleBrowser drawn() {
        String unused = chromium.async("const done = arguments[arguments.length - 1];"
                + "const moves = () => document.getAnimations().some((each) => each.playState === 'running'"
                + " && each.effect?.getComputedTiming().endTime !== Infinity);"
                + "const wait = () => { if (moves()) { requestAnimationFrame(wait); } else { done(''); } };"
                + "requestAnimationFrame(() => requestAnimationFrame(wait))");
        return this;
    }

    /** Returns how many pixels the page is wider than the window. */
    public int overflow() {
        return Integer.parseInt(chromium.script(
                "return String(document.documentElement.scrollWidth - document.documentElement.clientWidth)"));
    }

    /** Takes a picture, which is an artefact of the build. */
    public ConsoleBrowser picture(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            drawn();
            chromium.screenshot(SCREENSHOTS.resolve(name + ".png"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Returns what keeps somebody from using the page: each violation of WCAG 2.1 AA, with the element. */
    public List<String> barriers() {
        List<String> found = lookForBarriers();
        // The page goes on while it is looked at, and what it draws anew meanwhile may seem wrong. A barrier stays.
        for (int looks = 1; looks < MOST_LOOKS && !found.isEmpty(); looks++) {
            found = lookForBarriers();
        }
        return found;
    }

    private List<String> lookForBarriers() {
        chromium.script(Axe.SCRIPT);
        String found = chromium.async("const done = arguments[arguments.length - 1];"
                + "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations']})"
                + ".then((result) => done(result.violations.flatMap((each) => each.nodes.map((node) =>"
                + " each.id + ' at ' + node.target.join(' ') + ': ' + node.failureSummary.replace(/\\s+/g, ' ')"
                + ")).join('\\n')), (failure) => done('axe: ' + failure))");
        return found.lines().toList();
    }

    /** The script of axe-core. */
    private static final class Axe {

        static final String SCRIPT = script();

        private static String script() {
            try (var in = ConsoleBrowser.class.getResourceAsStream("/axe.min.js")) {
                return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Errors that are expected until it is closed. */
    public interface Expected extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * Expects errors, such as those of a network that is away, until the result is closed. Errors from before and after that fail the
     * test.
     *
     * @param pattern found in the text of an error: the address, and what is wrong with it
     */
    public Expected expect(String pattern) {
        collect();
        Pattern known = Pattern.compile(pattern);
        expected.add(known);
        return () -> {
            collect();
            expected.remove(known);
        };
    }

    /**
     * Confirms the dialog that is open, and waits until it is done. On a slow machine the sign-in is no longer fresh, so the center may ask
     * for the password.
     */
    public ConsoleBrowser confirm() {
        try (Expected unused = expect("/api/\\S* .*status of 403")) {
            press(() -> chromium.has("dialog-password"));
            if (chromium.has("dialog-password")) {
                chromium.type("dialog-password", ConsoleStage.PASSWORD);
                press(() -> false);
            }
        }
        return this;
    }

    /**
     * Confirms the dialog that is open, and waits until it is done. Nodes have to answer within seconds, so on a slow machine the center
     * may know no answer. Then it is asked again.
     */
    public ConsoleBrowser confirmUntilNodesAnswer() {
        try (Expected unused = expect("/api/\\S* .*status of 40[34]")) {
            Await.untilSeldom("an answer in the dialog at " + chromium.url(), PATIENCE, () -> {
                // Nothing is under way while the button can be used.
                if (chromium.shows("dialog[open] #dialog-confirm[aria-disabled=false]")) {
                    if (chromium.has("dialog-password")) {
                        chromium.type("dialog-password", ConsoleStage.PASSWORD);
                    }
                    chromium.click("dialog-confirm");
                }
                return !chromium.shows("dialog[open]");
            });
        }
        return this;
    }

    /** Presses the button of the dialog, and waits until it is done, asks for something else, or tells an error, which fails. */
    private void press(BooleanSupplier asks) {
        chromium.click("dialog-confirm");
        Await.untilSeldom(
                "the end of the dialog at " + chromium.url(),
                PATIENCE,
                () -> !chromium.shows("dialog[open]")
                        || asks.getAsBoolean()
                        || !chromium.text("dialog-error").isEmpty());
        assertThat(chromium.text("dialog-error")).as("error in the dialog").isEmpty();
    }

    private void collect() {
        chromium.errors().stream()
                .filter(each ->
                        expected.stream().noneMatch(known -> known.matcher(each).find()))
                .forEach(errors::add);
    }

    /** Fails if the browser told errors that are not expected. */
    public void requireNoErrors() {
        collect();
        List<String> found = List.copyOf(errors);
        errors.clear();
        assertThat(found).as("errors of the browser").isEmpty();
    }

    @Override
    public void close() {
        try {
            requireNoErrors();
        } finally {
            chromium.close();
        }
    }
}
