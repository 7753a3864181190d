package io.sluice.center.explain;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The relevant options of curl: the options that shape the request, and the options that take an argument. */
enum CurlOption {
    METHOD("X", "request"),
    HEADER("H", "header"),
    DATA("d", "data data-ascii"),
    DATA_BINARY("", "data-binary"),
    DATA_RAW("", "data-raw"),
    DATA_URLENCODED("", "data-urlencode"),
    JSON("", "json"),
    FORM("F", "form form-string"),
    UPLOAD("T", "upload-file"),
    USER("u", "user"),
    BEARER("", "oauth2-bearer"),
    COOKIE("b", "cookie"),
    AGENT("A", "user-agent"),
    REFERER("e", "referer"),
    RANGE("r", "range"),
    URL("", "url"),
    QUERY("", "url-query"),
    /** An option with an argument that changes nothing in the request. */
    OTHER("cCDEKmoPQtUwxyYz", "");

    /** The options without an argument that change the request. */
    enum Flag {
        GET,
        HEAD,
        COMPRESSED
    }

    private static final Set<String> WITH_ARGUMENT = words("""
            abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout
            connect-to continue-at cookie-jar create-file-mode crlfile curves delegation dns-interface dns-ipv4-addr
            dns-ipv6-addr dns-servers doh-url dump-header egd-file engine etag-compare etag-save expect100-timeout
            ftp-account ftp-method ftp-port happy-eyeballs-timeout-ms haproxy-clientip hostpubmd5 hostpubsha256 hsts
            interface ipfs-gateway keepalive-time keepalive-cnt key key-type krb libcurl limit-rate local-port
            login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy output
            output-dir parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert
            proxy-cert proxy-header proxy-key proxy-pass proxy-user proxy1.0 pubkey quote random-file rate
            request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a socks5
            socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers
            tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket variable vlan-priority write-out
            """);

    private static final Set<String> WITHOUT_ARGUMENT = words("""
            anyauth append basic buffer ca-native cert-status clobber compressed compressed-ssh create-dirs crlf digest
            disable disable-eprt disable-epsv disallow-username-in-url doh-insecure eprt epsv fail fail-early
            fail-with-body false-start form-escape ftp-create-dirs ftp-pasv get globoff head help http0.9 http1.0
            http1.1 http2 http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6
            junk-session-cookies keepalive list-only location location-trusted manual negotiate netrc netrc-optional
            no-alpn no-buffer no-clobber no-keepalive no-progress-meter no-sessionid ntlm parallel parallel-immediate
            path-as-is post301 post302 post303 progress-bar proxytunnel raw remote-header-name remote-name
            remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused sessionid show-error
            show-headers silent ssl ssl-reqd ssl-no-revoke styled-output suppress-connect-headers tcp-fastopen
            tcp-nodelay tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-time use-ascii verbose version xattr
            """);

    private static final String SHORT_FLAGS = "0123469aBfgGhiIjJkLlMnNOpqRsSvVZ#";
    private static final Map<String, CurlOption> LONG = new HashMap<>();
    private static final Map<Character, CurlOption> SHORT = new HashMap<>();

    static {
        for (CurlOption each : values()) {
            each.letters.chars().forEach(letter -> SHORT.put((char) letter, each));
            words(each.names).forEach(name -> LONG.put(name, each));
        }
        WITH_ARGUMENT.forEach(name -> LONG.put(name, OTHER));
    }

    private final String letters;
    private final String names;

    CurlOption(String letters, String names) {
        this.letters = letters;
        this.names = names;
    }

    private static Set<String> words(String text) {
        return text.isBlank() ? Set.of() : Set.of(text.strip().split("\\s+", -1));
    }

    /** Returns the option with an argument and this letter. */
    static Optional<CurlOption> of(char letter) {
        return Optional.ofNullable(SHORT.get(letter));
    }

    /** Returns the option with an argument and this name. */
    static Optional<CurlOption> of(String name) {
        return Optional.ofNullable(LONG.get(name));
    }

    static Optional<Flag> flag(char letter) {
        return letter == 'G' ? Optional.of(Flag.GET) : letter == 'I' ? Optional.of(Flag.HEAD) : Optional.empty();
    }

    static Optional<Flag> flag(String name) {
        for (Flag flag : Flag.values()) {
            if (flag.name().toLowerCase(Locale.ROOT).equals(name)) {
                return Optional.of(flag);
            }
        }
        return Optional.empty();
    }

    /** Returns whether curl has an option with this letter and without an argument. */
    static boolean isFlag(char letter) {
        return SHORT_FLAGS.indexOf(letter) >= 0;
    }

    static boolean isFlag(String name) {
        return WITHOUT_ARGUMENT.contains(name)
                || (name.startsWith("no-") && WITHOUT_ARGUMENT.contains(name.substring(3)));
    }
}
