package io.sluice.center.page;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The routes for the pages: signing in, the own account, and the console. All pages are one document without data; its scripts choose the
 * view by the path and call the API.
 */
@RestController
public final class PageRoutes {

    private static final String FOLDER = "io/sluice/center/page/";

    /** The files of libraries, by the name under which the pages load them. */
    private static final Map<String, String> LIBRARIES = Map.ofEntries(
            // This build of Vue compiles no templates, so it needs no eval.
            Map.entry("vue.js", "vue/3.5.26/dist/vue.runtime.esm-browser.prod.js"),
            Map.entry("codemirror/codemirror.js", "codemirror/5.65.21/lib/codemirror.js"),
            Map.entry("codemirror/codemirror.css", "codemirror/5.65.21/lib/codemirror.css"),
            Map.entry("codemirror/yaml.js", "codemirror/5.65.21/mode/yaml/yaml.js"),
            Map.entry("codemirror/show-hint.js", "codemirror/5.65.21/addon/hint/show-hint.js"),
            Map.entry("codemirror/show-hint.css", "codemirror/5.65.21/addon/hint/show-hint.css"),
            Map.entry("codemirror/lint.js", "codemirror/5.65.21/addon/lint/lint.js"),
            Map.entry("codemirror/lint.css", "codemirror/5.65.21/addon/lint/lint.css"));

    /** All files. They are read and compressed at the first request for one of them, so that a start does not wait for this. */
    private static final class Files {

        static final Asset PAGE = Asset.read("/" + FOLDER + "page.html");
        static final Map<String, Asset> ASSETS = new TreeMap<>();

        static {
            own().forEach(file -> ASSETS.put(file, Asset.read("/" + FOLDER + file)));
            LIBRARIES.forEach((name, file) -> ASSETS.put(name, Asset.read("/META-INF/resources/webjars/" + file)));
        }
    }

    /** Returns the names of all scripts, styles and pictures, with their folder. */
    private static List<String> own() {
        PathMatchingResourcePatternResolver resolver =
                new PathMatchingResourcePatternResolver(PageRoutes.class.getClassLoader());
        List<String> names = new ArrayList<>();
        try {
            for (String type : List.of("js", "css", "svg")) {
                for (Resource file : resolver.getResources("classpath*:" + FOLDER + "**/*." + type)) {
                    String url = file.getURL().toString();
                    names.add(url.substring(url.lastIndexOf(FOLDER) + FOLDER.length()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the files of the pages cannot be read", e);
        }
        return names;
    }

    /** Returns the console to a signed-in person. All others are redirected to the sign-in page, which leads back. */
    @GetMapping("/")
    ResponseEntity<byte[]> home(HttpServletRequest request) {
        boolean isSignedIn = request.getAttribute(CurrentAccess.ACCESS) instanceof Access access && access.isPerson();
        return isSignedIn
                ? Files.PAGE.answer(request)
                : ResponseEntity.status(HttpStatus.FOUND)
                        .location(signIn(request.getQueryString()))
                        .build();
    }

    private static URI signIn(@Nullable String query) {
        return URI.create(
                query == null || query.isEmpty()
                        ? "/sign-in"
                        : "/sign-in?to=" + URLEncoder.encode("/?" + query, StandardCharsets.UTF_8));
    }

    @GetMapping({
        "/set-up",
        "/sign-in",
        "/step-up",
        "/account",
        "/retention",
        "/traffic",
        "/callers/{id}",
        "/rules",
        "/rules/{id}",
        "/editor",
        "/changes",
        "/changes/{id}",
        "/releases",
        "/releases/{id}",
        "/nodes",
        "/shadow",
        "/explain",
        "/decisions",
        "/alerts",
        "/audit",
        "/people",
        "/tokens",
        "/approvals",
        "/design"
    })
    ResponseEntity<byte[]> page(HttpServletRequest request) {
        return Files.PAGE.answer(request);
    }

    /** Returns the icon. Browsers request it by this name for documents that name no icon, such as an answer of the API. */
    @GetMapping("/favicon.ico")
    ResponseEntity<byte[]> icon(HttpServletRequest request) {
        return asset("icon.svg", request);
    }

    @GetMapping("/assets/{file}")
    ResponseEntity<byte[]> asset(@PathVariable("file") String file, HttpServletRequest request) {
        Asset asset = Files.ASSETS.get(file);
        if (asset == null) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "unknown path");
        }
        return asset.answer(request);
    }

    @GetMapping("/assets/{folder}/{file}")
    ResponseEntity<byte[]> asset(
            @PathVariable("folder") String folder, @PathVariable("file") String file, HttpServletRequest request) {
        return asset(folder + "/" + file, request);
    }
}
