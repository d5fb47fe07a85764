// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws more problems than the default of rapid, because each takes
// less than a millisecond. Flags of the command line take precedence.
func TestMain(m *testing.M) {
	set := map[string]string{"rapid.checks": "500", "rapid.shrinktime": "10s", "rapid.nofailfile": "true"}
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { delete(set, f.Name) })
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
