package io.sluice.http.figure;

import io.sluice.rules.cost.AnswerAttribute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The paths on which figures are expected, as a tree of names. Each figure has a slot: its position in the list of attributes. The slots of
 * figures that count only in a whole stream come after all other slots. Immutable once built.
 *
 * <p>Servers of models wrap the events of a stream: {@code usage} of a whole answer is then {@code response.usage}, {@code delta.usage} or
 * {@code message.usage}. One rule covers both, because in events a path may also begin inside of these objects.
 */
final class FigurePaths {

    private static final List<String> WRAPPERS = List.of("response", "delta");

    /**
     * The object in the first event of a message. Its figures are those of the beginning, so they count only if the whole stream has
     * arrived.
     */
    private static final String BEGINNING = "message";

    private final Node root = new Node();
    private int longestName;
    private int deepest;

    private FigurePaths() {}

    /** A place in the tree. */
    static final class Node {

        private final List<byte[]> names = new ArrayList<>(2);
        private final List<Node> children = new ArrayList<>(2);
        private int[] slots = {};

        boolean isFigure() {
            return slots.length > 0;
        }

        /** Notes the figure of a document in this place. */
        void note(FoundFigures found, long figure) {
            for (int slot : slots) {
                found.note(slot, figure);
            }
        }

        boolean isLeaf() {
            return children.isEmpty();
        }

        /** Returns the place with this name, or null. */
        @Nullable
        Node child(byte[] name, int length) {
            for (int i = 0; i < names.size(); i++) {
                byte[] own = names.get(i);
                if (Arrays.equals(own, 0, own.length, name, 0, length)) {
                    return children.get(i);
                }
            }
            return null;
        }
    }

    /** Returns the paths in a document. */
    static FigurePaths inDocuments(List<AnswerAttribute> attributes) {
        FigurePaths paths = new FigurePaths();
        for (int slot = 0; slot < attributes.size(); slot++) {
            if (attributes.get(slot).source() == AnswerAttribute.Source.JSON) {
                paths.add(attributes.get(slot).path(), slot);
            }
        }
        return paths;
    }

    /** Returns the paths in the events of a stream. */
    static FigurePaths inEvents(List<AnswerAttribute> attributes) {
        FigurePaths paths = inDocuments(attributes);
        for (int slot = 0; slot < attributes.size(); slot++) {
            if (attributes.get(slot).source() == AnswerAttribute.Source.JSON) {
                List<String> path = attributes.get(slot).path();
                for (String wrapper : WRAPPERS) {
                    paths.add(inside(wrapper, path), slot);
                }
                paths.add(inside(BEGINNING, path), attributes.size() + slot);
            }
        }
        return paths;
    }

    private static List<String> inside(String wrapper, List<String> path) {
        List<String> all = new ArrayList<>(path.size() + 1);
        all.add(wrapper);
        all.addAll(path);
        return all;
    }

    private void add(List<String> path, int slot) {
        Node node = root;
        for (String name : path) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            Node child = node.child(bytes, bytes.length);
            if (child == null) {
                child = new Node();
                node.names.add(bytes);
                node.children.add(child);
                longestName = Math.max(longestName, bytes.length);
            }
            node = child;
        }
        node.slots = Arrays.copyOf(node.slots, node.slots.length + 1);
        node.slots[node.slots.length - 1] = slot;
        deepest = Math.max(deepest, path.size());
    }

    Node root() {
        return root;
    }

    /** Returns the number of bytes of the longest name. */
    int longestName() {
        return longestName;
    }

    /** Returns the number of names in the longest path. */
    int deepest() {
        return deepest;
    }
}
