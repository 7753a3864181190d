package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Spot;
import io.sluice.replay.imports.nginx.NginxLexer.Token;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/**
 * Parses a configuration of nginx with the files that it includes. Includes are followed within the folder of the first file only,
 * so that a configuration from elsewhere cannot make an import read other files. Not thread-safe.
 */
final class NginxFiles {

    private static final int DEEPEST = 30;
    private static final int MOST_FILES = 200;

    private final Optional<Path> folder;
    private final DocumentDraft draft;
    private int files;
    private long bytes;

    NginxFiles(ForeignFile main, DocumentDraft draft) {
        this.folder = main.folder();
        this.draft = draft;
    }

    List<Directive> parse(ForeignFile file, int depth) throws ImportRefusedException {
        List<Token> tokens = NginxLexer.tokens(file);
        Cursor cursor = new Cursor(tokens);
        List<Directive> all = block(cursor, depth);
        if (cursor.at < tokens.size()) {
            throw new ImportRefusedException(
                    tokens.get(cursor.at).spot(), "}: closes no block (expected: a directive or the end of the file)");
        }
        return all;
    }

    private static final class Cursor {

        private final List<Token> tokens;
        private int at;

        Cursor(List<Token> tokens) {
            this.tokens = tokens;
        }

        boolean isAt(String sign) {
            return at < tokens.size() && tokens.get(at).is(sign);
        }
    }

    private List<Directive> block(Cursor cursor, int depth) throws ImportRefusedException {
        List<Directive> all = new ArrayList<>();
        while (cursor.at < cursor.tokens.size() && !cursor.isAt("}")) {
            Directive next = directive(cursor, depth);
            if (next.name().equals("include")) {
                all.addAll(included(next, depth));
            } else {
                all.add(next);
            }
        }
        return all;
    }

    private Directive directive(Cursor cursor, int depth) throws ImportRefusedException {
        Token name = cursor.tokens.get(cursor.at++);
        if (name.isSign()) {
            throw new ImportRefusedException(name.spot(), name.text() + ": unexpected (expected: a directive)");
        }
        List<String> arguments = new ArrayList<>();
        while (cursor.at < cursor.tokens.size() && !cursor.tokens.get(cursor.at).isSign()) {
            arguments.add(cursor.tokens.get(cursor.at++).text());
        }
        if (cursor.isAt(";")) {
            cursor.at++;
            return new Directive(name.spot(), name.text(), arguments, List.of());
        }
        if (!cursor.isAt("{")) {
            throw new ImportRefusedException(
                    name.spot(), PrintableText.text(name.text()) + ": without an end (expected: ; or a block)");
        }
        if (depth >= DEEPEST) {
            throw new ImportRefusedException(
                    name.spot(), "nesting: deeper than " + DEEPEST + " levels (expected: at most " + DEEPEST + ")");
        }
        cursor.at++;
        if (name.text().endsWith("_by_lua_block")) {
            skip(cursor, name);
            return new Directive(name.spot(), name.text(), arguments, List.of());
        }
        List<Directive> block = block(cursor, depth + 1);
        close(cursor, name);
        return new Directive(name.spot(), name.text(), arguments, block);
    }

    /** Skips a program in another language, which has the same braces. */
    private static void skip(Cursor cursor, Token name) throws ImportRefusedException {
        int open = 1;
        while (cursor.at < cursor.tokens.size() && open > 0) {
            open += cursor.isAt("{") ? 1 : cursor.isAt("}") ? -1 : 0;
            cursor.at += open > 0 ? 1 : 0;
        }
        close(cursor, name);
    }

    private static void close(Cursor cursor, Token name) throws ImportRefusedException {
        if (!cursor.isAt("}")) {
            throw new ImportRefusedException(
                    name.spot(), PrintableText.text(name.text()) + ": block without an end (expected: })");
        }
        cursor.at++;
    }

    private List<Directive> included(Directive include, int depth) throws ImportRefusedException {
        List<Directive> all = new ArrayList<>();
        if (depth >= DEEPEST) {
            throw new ImportRefusedException(
                    include.spot(),
                    "include: nested deeper than " + DEEPEST + " (expected: no files that include themselves)");
        }
        for (Path path : found(include)) {
            if (++files > MOST_FILES) {
                throw new ImportRefusedException(
                        include.spot(), "include: more than " + MOST_FILES + " files (expected: at most that many)");
            }
            ForeignFile file = ForeignFile.read(path);
            bytes += file.text().length();
            if (bytes > ForeignFile.MOST_BYTES) {
                throw new ImportRefusedException(
                        include.spot(),
                        "include: more than " + ForeignFile.MOST_BYTES + " bytes in all (expected: at most that many)");
            }
            all.addAll(parse(file, depth + 1));
        }
        return all;
    }

    private List<Path> found(Directive include) {
        String pattern = include.argument(0);
        Spot spot = include.spot();
        List<Path> paths = new ArrayList<>();
        if (folder.isEmpty()) {
            draft.warn(
                    spot, "include: " + PrintableText.text(pattern) + " is not read, because this text has no folder");
            return paths;
        }
        try {
            Path root = folder.get().toRealPath();
            Path wanted = root.resolve(pattern).normalize();
            Path parent = wanted.getParent();
            Path name = wanted.getFileName();
            if (parent == null || name == null || !wanted.startsWith(root) || !Files.isDirectory(parent)) {
                unread(spot, pattern);
                return paths;
            }
            try (DirectoryStream<Path> matching = Files.newDirectoryStream(parent, name.toString())) {
                for (Path path : matching) {
                    if (path.toRealPath().startsWith(root) && Files.isRegularFile(path)) {
                        paths.add(path);
                    } else {
                        unread(spot, path.toString());
                    }
                }
            }
        } catch (IOException | InvalidPathException | PatternSyntaxException e) {
            unread(spot, pattern);
            return List.of();
        }
        if (paths.isEmpty() && pattern.indexOf('*') < 0) {
            draft.warn(spot, "include: " + PrintableText.text(pattern) + " was not found, so its limits are missing");
        }
        Collections.sort(paths);
        return paths;
    }

    private void unread(Spot spot, String pattern) {
        draft.warn(
                spot,
                "include: " + PrintableText.text(pattern)
                        + " is not read, because only files in the folder of the configuration are");
    }
}
