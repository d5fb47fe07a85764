// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// indent is the indentation of code on a page.
const indent = "    "

// examples returns the blocks of code on a page.
func examples(t *testing.T, page string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, page))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var blocks []string
	inBlock := false
	for line := range strings.Lines(string(content)) {
		code, isCode := strings.CutPrefix(line, indent)
		switch {
		case isCode && inBlock:
			blocks[len(blocks)-1] += code
		case isCode:
			blocks = append(blocks, code)
		}
		inBlock = isCode
	}
	return blocks
}

// wrappers has what stands above the examples that are parts of a file, by the
// first field of the example, and their indentation.
var wrappers = map[string]struct{ above, indent string }{
	"containers":     {},
	"implementation": {},
	"partitions":     {"roles:\n", "  "},
	"shared":         {"roles:\n", "  "},
	"multiHost":      {"roles:\n", "  "},
	"device":         {"roles:\n  exclusive:\n", "    "},
}

func TestExamplesOfDriverFilesAreValid(t *testing.T) {
	valid := 0
	for _, block := range examples(t, "drivers.md") {
		field, _, _ := strings.Cut(block, ":")
		wrapper, isPart := wrappers[field]
		switch {
		case field == "apiVersion":
		case isPart:
			block = "apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n" + wrapper.above +
				wrapper.indent + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n"+wrapper.indent) + "\n"
		default:
			continue // commands and messages
		}
		g := NewWithT(t)
		drivers, err := driverfile.Decode("", []byte(block))
		g.Expect(err).NotTo(HaveOccurred(), block)
		g.Expect(drivers[0].Validate()).To(Succeed(), block)
		g.Expect(validate(t, "driver.v1alpha1.json", block)).To(Succeed(), block)
		valid++
	}
	NewWithT(t).Expect(valid).To(Equal(2+len(wrappers)), "examples in drivers.md")
}
