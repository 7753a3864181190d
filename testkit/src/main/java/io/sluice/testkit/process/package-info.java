/** Server processes for tests, and what they need: free ports, certificates, a folder. */
@NullMarked
package io.sluice.testkit.process;

import org.jspecify.annotations.NullMarked;
