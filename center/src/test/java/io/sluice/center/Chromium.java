package io.sluice.center;

import io.sluice.testkit.Await;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.ElementNotInteractableException;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.virtualauthenticator.HasVirtualAuthenticator;
import org.openqa.selenium.virtualauthenticator.VirtualAuthenticator;
import org.openqa.selenium.virtualauthenticator.VirtualAuthenticatorOptions;

/**
 * A real browser without a window. It waits for what a page shows, never for a time; the limits are only there so that a test of a
 * broken page ends.
 */
public final class Chromium implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final List<String> DRIVERS = List.of("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver");
    private static final List<String> PROGRAMS =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");

    private final ChromeDriver driver;

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    /**
     * Starts the browser.
     *
     * @param directory for its profile, which is new
     */
    public static Chromium open(Path directory) throws IOException {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program(PROGRAMS));
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                // A page behind the address bar, which is not visible. Starting it takes longer than everything else.
                "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
                "--lang=en-US",
                "--window-size=1280,900",
                "--user-data-dir=" + Files.createTempDirectory(directory, "profile"));
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(program(DRIVERS)))
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(PATIENCE).scriptTimeout(PATIENCE);
        return new Chromium(driver);
    }

    private static String program(List<String> places) {
        return places.stream()
                .filter(place -> Files.isExecutable(Path.of(place)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + Arrays.toString(places.toArray())
                        + " (expected: the packages chromium and" + " chromium-driver; ./test installs them)"));
    }

    /** Opens a page and forgets what the pages before it logged. */
    public void go(String url) {
        driver.get(url);
    }

    /** Returns the address that the browser shows. */
    public String url() {
        return String.valueOf(driver.getCurrentUrl());
    }

    /** Waits for an address that ends so, apart from what follows a question mark or number sign. */
    public void awaitPath(String path) {
        Await.untilSeldom(
                "page " + path + " (now " + url() + ", " + errorText() + ")",
                PATIENCE,
                () -> url().replaceAll("[?#].*", "").endsWith(path));
    }

    /** Waits until the text of an element contains something. */
    public void awaitText(String id, String part) {
        Await.untilSeldom("text of " + id + " with " + part, PATIENCE, () -> text(id).contains(part));
    }

    /** Waits for an element. */
    public void await(String id) {
        Await.untilSeldom("element " + id + " at " + url(), PATIENCE, () -> has(id));
    }

    /** Waits until an element has the focus. */
    public void awaitFocus(String id) {
        Await.untilSeldom(
                "focus on " + id,
                PATIENCE,
                // Not an element of the driver: a page may remove it before its id is read.
                () -> id.equals(script("return document.activeElement?.id ?? ''")));
    }

    public boolean has(String id) {
        return !driver.findElements(By.id(id)).isEmpty();
    }

    /** Returns what an element shows; nothing if it is not there. */
    public String text(String id) {
        try {
            return driver.findElement(By.id(id)).getText();
        } catch (NoSuchElementException | StaleElementReferenceException e) {
            return "";
        }
    }

    private String errorText() {
        return text("error");
    }

    /** Clicks an element. A page that draws it anew meanwhile is no failure. */
    public void click(String id) {
        await(id);
        click(By.id(id));
    }

    private void click(By place) {
        Await.untilSeldom("a click on " + place, PATIENCE, () -> isClicked(place));
    }

    /** Clicks. Returns whether the element got the click: the page may move or replace it while the mouse is on its way. */
    private boolean isClicked(By place) {
        try {
            WebElement element = driver.findElement(place);
            driver.executeScript(
                    "window.gotClick = false; arguments[0].addEventListener('click',"
                            + " () => { window.gotClick = true; }, {once: true, capture: true})",
                    element);
            element.click();
        } catch (StaleElementReferenceException | NoSuchElementException | ElementNotInteractableException e) {
            return false;
        }
        try {
            // A page that the click has opened knows nothing of it.
            return !script("return String(window.gotClick)").equals("false");
        } catch (JavascriptException e) {
            return true;
        }
    }

    /** Replaces what a field holds. */
    public void type(String id, String text) {
        await(id);
        Await.untilSeldom("a text in " + id, PATIENCE, () -> isTyped(id, text));
    }

    /** Types. Returns whether the field holds the text: a page that is drawn anew meanwhile may put back what it held before. */
    private boolean isTyped(String id, String text) {
        try {
            WebElement field = driver.findElement(By.id(id));
            field.clear();
            field.sendKeys(text);
            return text.equals(field.getDomProperty("value"));
        } catch (StaleElementReferenceException | NoSuchElementException | ElementNotInteractableException e) {
            return false;
        }
    }

    /** Types where the focus is. */
    public void keys(CharSequence... keys) {
        Await.untilSeldom("a focus to type at", PATIENCE, () -> {
            try {
                driver.switchTo().activeElement().sendKeys(keys);
                return true;
            } catch (StaleElementReferenceException | NoSuchElementException e) {
                // The page has removed it, so nothing was typed.
                return false;
            }
        });
    }

    public void tab() {
        keys(Keys.TAB);
    }

    /** Runs a script in the page and returns its result as a text. */
    public String script(String script) {
        return String.valueOf(driver.executeScript(script));
    }

    /** Runs a script that calls its last argument with its result. Returns that as a text. */
    public String async(String script, Object... arguments) {
        return String.valueOf(driver.executeAsyncScript(script, arguments));
    }

    /** Runs a script with arguments. Returns its result as a text. */
    public String script(String script, Object... arguments) {
        return String.valueOf(driver.executeScript(script, arguments));
    }

    /** Returns whether the page has an element that is shown. */
    public boolean shows(String css) {
        return Boolean.parseBoolean(script(
                "const all = [...document.querySelectorAll(arguments[0])];"
                        + "return all.some((each) => each.getClientRects().length > 0)",
                css));
    }

    /** Returns the texts of all elements that a selector finds. */
    public List<String> texts(String css) {
        return driver.findElements(By.cssSelector(css)).stream()
                .map(Chromium::textOf)
                .toList();
    }

    private static String textOf(WebElement element) {
        try {
            return element.getText();
        } catch (StaleElementReferenceException e) {
            return "";
        }
    }

    /** Waits until an element is shown. */
    public void awaitShown(String css) {
        Await.untilSeldom("element " + css + " at " + url(), PATIENCE, () -> shows(css));
    }

    /** Waits until an element is gone or hidden. */
    public void awaitHidden(String css) {
        Await.untilSeldom("no element " + css + " at " + url(), PATIENCE, () -> !shows(css));
    }

    /** Waits until one of the elements that a selector finds has a text. */
    public void awaitTextOf(String css, String part) {
        Await.untilSeldom("text of " + css + " with " + part + " at " + url(), PATIENCE, () -> texts(css).stream()
                .anyMatch(each -> each.contains(part)));
    }

    /** Clicks the first element that a selector finds. A page that draws it anew meanwhile is no failure. */
    public void clickOn(String css) {
        awaitShown(css);
        click(By.cssSelector(css));
    }

    /** Chooses an option of a list. */
    public void choose(String id, String value) {
        await(id);
        String unused = script(
                "const list = document.getElementById(arguments[0]); list.value = arguments[1];"
                        + "list.dispatchEvent(new Event('change', {bubbles: true}))",
                id,
                value);
    }

    /** Opens another tab and goes to it. Returns its name. */
    public String openTab() {
        return driver.switchTo().newWindow(WindowType.TAB).getWindowHandle();
    }

    /** Returns the name of the tab that is used. */
    public String currentTab() {
        return driver.getWindowHandle();
    }

    /** Goes to another tab. */
    public void toTab(String name) {
        driver.switchTo().window(name);
    }

    /** Closes the tab and goes to another one. */
    public void closeTab(String next) {
        driver.close();
        driver.switchTo().window(next);
    }

    /**
     * Sets how the network is.
     *
     * @param latencyMillis of each request
     * @param kilobytes for each second; 0 for no bound
     */
    public void network(boolean isOffline, int latencyMillis, int kilobytes) {
        driver.executeCdpCommand("Network.enable", Map.of());
        driver.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of(
                        "offline",
                        isOffline,
                        "latency",
                        latencyMillis,
                        "downloadThroughput",
                        kilobytes == 0 ? -1 : kilobytes * 1_000,
                        "uploadThroughput",
                        kilobytes == 0 ? -1 : kilobytes * 1_000));
    }

    /** Runs a script in each page before its own scripts. Returns the name under which it can be forgotten. */
    public String before(String script) {
        return String.valueOf(
                driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
                        .get("identifier"));
    }

    public void forgetBefore(String script) {
        driver.executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", script));
    }

    /** Adds a device with a fingerprint reader, whose user always agrees. */
    public VirtualAuthenticator addDevice() {
        return ((HasVirtualAuthenticator) driver)
                .addVirtualAuthenticator(new VirtualAuthenticatorOptions()
                        .setProtocol(VirtualAuthenticatorOptions.Protocol.CTAP2)
                        .setTransport(VirtualAuthenticatorOptions.Transport.INTERNAL)
                        .setHasResidentKey(true)
                        .setHasUserVerification(true)
                        .setIsUserConsenting(true)
                        .setIsUserVerified(true));
    }

    public void removeDevice(VirtualAuthenticator device) {
        ((HasVirtualAuthenticator) driver).removeVirtualAuthenticator(device);
    }

    /** Gives a cookie to the page that is open. */
    public void cookie(String name, String value) {
        driver.manage().addCookie(new org.openqa.selenium.Cookie(name, value, "/"));
    }

    /** Forgets all cookies, and so who is signed in. */
    public void forgetCookies() {
        driver.manage().deleteAllCookies();
    }

    /** Forgets all cookies and what pages stored. */
    public void forget() {
        driver.manage().deleteAllCookies();
        driver.executeScript("localStorage.clear()");
    }

    /** Prefers a language. */
    public void language(String language) {
        driver.executeCdpCommand(
                "Network.setUserAgentOverride",
                Map.of("userAgent", script("return navigator.userAgent"), "acceptLanguage", language));
    }

    /** Prefers light or dark pages. */
    public void colors(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    public void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
        driver.manage().window().setSize(new Dimension(Math.max(width, 500), height));
    }

    public void screenshot(Path file) throws IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    /** Returns what pages logged as an error since the last call: scripts that failed, and what the policy forbade. */
    public List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(entry -> entry.getMessage())
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
