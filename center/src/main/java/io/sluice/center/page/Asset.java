package io.sluice.center.page;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** A file of the pages. Browsers cache it, and ask each time whether it has changed. */
final class Asset {

    private static final Map<String, MediaType> TYPES = Map.of(
            "html", MediaType.parseMediaType("text/html;charset=UTF-8"),
            "js", MediaType.parseMediaType("text/javascript;charset=UTF-8"),
            "css", MediaType.parseMediaType("text/css;charset=UTF-8"),
            "svg", MediaType.parseMediaType("image/svg+xml"));

    private static final Pattern GZIP = Pattern.compile("\\s*gzip\\s*(;.*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern REFUSED =
            Pattern.compile(";\\s*q\\s*=\\s*0(\\.0*)?\\s*(;|$)", Pattern.CASE_INSENSITIVE);

    private final Form plain;
    private final Form packed;
    private final MediaType type;

    private Asset(Form plain, Form packed, MediaType type) {
        this.plain = plain;
        this.packed = packed;
        this.type = type;
    }

    /** The bytes of a file in one encoding, with the tag by which browsers cache them. */
    private static final class Form {

        private final byte[] content;
        private final String tag;

        Form(byte[] content) {
            this.content = content;
            this.tag = tag(content);
        }
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
            return new Asset(new Form(content), new Form(gzip(content)), type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the file, compressed if the browser accepts it, so that the first page of the console is small on a slow network. */
    ResponseEntity<byte[]> answer(HttpServletRequest request) {
        boolean isPacked = takesGzip(request.getHeader(HttpHeaders.ACCEPT_ENCODING));
        Form form = isPacked ? packed : plain;
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok()
                .contentType(type)
                .cacheControl(CacheControl.noCache())
                .header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING)
                .eTag(form.tag);
        if (isPacked) {
            answer.header(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        return answer.body(form.content);
    }

    /** Returns whether a header accepts gzip. {@code gzip;q=0} refuses it. */
    static boolean takesGzip(@Nullable String accepted) {
        if (accepted == null) {
            return false;
        }
        for (String each : accepted.split(",", -1)) {
            if (GZIP.matcher(each).matches()) {
                return !REFUSED.matcher(each).find();
            }
        }
        return false;
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(content);
        }
        return out.toByteArray();
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
