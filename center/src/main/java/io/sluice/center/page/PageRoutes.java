package io.sluice.center.page;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The pages for setting up, signing in, the own account, and what is kept for how long. They hold no data; their scripts call the API. */
@RestController
public final class PageRoutes {

    private static final String FOLDER = "/io/sluice/center/page/";

    private static final List<String> FILES = List.of(
            "account.js",
            "api.js",
            "htm.js",
            "icon.svg",
            "main.js",
            "parts.js",
            "passkeys.js",
            "retention-texts.js",
            "retention.js",
            "set-up.js",
            "sign-in.js",
            "step-up.js",
            "style.css",
            "texts.js");

    /** The build of Vue that compiles no templates, so it needs no {@code eval}. */
    private static final String VUE = "/META-INF/resources/webjars/vue/3.5.26/dist/vue.runtime.esm-browser.prod.js";

    private final Asset page = Asset.read(FOLDER + "page.html");
    private final Map<String, Asset> assets = new TreeMap<>();

    PageRoutes() {
        FILES.forEach(file -> assets.put(file, Asset.read(FOLDER + file)));
        assets.put("vue.js", Asset.read(VUE));
    }

    /** Leads to the page of somebody who is signed in, or to the sign-in. */
    @GetMapping("/")
    ResponseEntity<Void> home(HttpServletRequest request) {
        boolean isSignedIn = request.getAttribute(CurrentAccess.ACCESS) instanceof Access access && access.isPerson();
        return ResponseEntity.status(HttpStatus.FOUND)
                .location(URI.create(isSignedIn ? "/account" : "/sign-in"))
                .build();
    }

    @GetMapping("/set-up")
    ResponseEntity<byte[]> setUp() {
        return page.answer();
    }

    @GetMapping("/sign-in")
    ResponseEntity<byte[]> signIn() {
        return page.answer();
    }

    @GetMapping("/step-up")
    ResponseEntity<byte[]> stepUp() {
        return page.answer();
    }

    @GetMapping("/account")
    ResponseEntity<byte[]> account() {
        return page.answer();
    }

    @GetMapping("/retention")
    ResponseEntity<byte[]> retention() {
        return page.answer();
    }

    /** Browsers ask for it by this name where a page names no other, such as an answer of the API. */
    @GetMapping("/favicon.ico")
    ResponseEntity<byte[]> icon() {
        return asset("icon.svg");
    }

    @GetMapping("/assets/{file}")
    ResponseEntity<byte[]> asset(@PathVariable("file") String file) {
        Asset asset = assets.get(file);
        if (asset == null) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "unknown path");
        }
        return asset.answer();
    }
}
