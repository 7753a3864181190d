package io.sluice.rules.yaml;

import java.util.function.Predicate;

/**
 * The items of a document that is a list, or that has one under a key, and who takes each as soon as it is read. What was taken is
 * not in the tree: there the list is empty.
 *
 * @param take says whether the item is good; the more are, the longer a document may be
 */
public record ItemHandler(String key, Predicate<YamlValue> take) {}
