// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package picture_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/report/picture"
)

// The commands of testdata: "draw" draws the pools of the slices in its input,
// in the state that the claims in its input describe. Its argument "slices" is a
// file with further slices.
func TestDraw(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			input := d.Input
			if d.HasArg("slices") {
				var file string
				d.ScanArgs(t, "slices", &file)
				content, err := os.ReadFile(filepath.Join("../../..", file))
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				input += "\n" + string(content)
			}
			return drawAll(t, input)
		})
	})
}

func drawAll(t *testing.T, input string) string {
	objects, err := state.Read([]string{state.Stdin}, strings.NewReader(input))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var drawn []string
	for _, s := range objects.Slices {
		p := picture.Draw(s.Spec.Driver, s.Spec.Pool.Name, objects.Slices, objects.Claims)
		if text := p.String(); !slices.Contains(drawn, text) {
			drawn = append(drawn, text)
		}
	}
	return strings.Join(drawn, "")
}

func TestDrawReturnsNothingForAPoolWithoutSlices(t *testing.T) {
	NewWithT(t).Expect(picture.Draw("gpu.example.com", "gone", nil, nil)).To(BeNil())
}
