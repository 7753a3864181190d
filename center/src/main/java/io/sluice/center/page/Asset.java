package io.sluice.center.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** A file of the pages. Browsers keep it, and ask each time whether it is still the same. */
final class Asset {

    private static final Map<String, MediaType> TYPES = Map.of(
            "html", MediaType.parseMediaType("text/html;charset=UTF-8"),
            "js", MediaType.parseMediaType("text/javascript;charset=UTF-8"),
            "css", MediaType.parseMediaType("text/css;charset=UTF-8"),
            "svg", MediaType.parseMediaType("image/svg+xml"));

    private final byte[] content;
    private final MediaType type;
    private final String tag;

    private Asset(byte[] content, MediaType type, String tag) {
        this.content = content;
        this.type = type;
        this.tag = tag;
    }

    /** Reads a file from the class path. */
    static Asset read(String path) {
        try (InputStream in = Asset.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("a file of the pages is missing: " + path);
            }
            byte[] content = in.readAllBytes();
            MediaType type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
            if (type == null) {
                throw new IllegalStateException("a file of the pages has an unknown type: " + path);
            }
            return new Asset(content, type, tag(content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ResponseEntity<byte[]> answer() {
        return ResponseEntity.ok()
                .contentType(type)
                .cacheControl(CacheControl.noCache())
                .eTag(tag)
                .body(content);
    }

    private static String tag(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(digest) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every JDK must provide it", e);
        }
    }
}
