// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// steps bounds the search of Kubernetes' allocators. Few problems need more,
// and their answers are verified differently.
const steps = 3000

// property is what must hold for each problem.
type property func(p *problem.Problem) error

// find draws problems until the property does not hold for one. It minimizes
// that problem and stores it as a case, which TestDivergences replays from then
// on.
func find(t *testing.T, config gen.Config, holds property) {
	t.Helper()
	var failing *problem.Problem
	t.Cleanup(func() {
		if failing != nil {
			keep(t, failing, holds)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := config.Problem().Draw(t, "problem")
		if err := holds(p); err != nil {
			failing = p.Clone()
			t.Fatal(err)
		}
	})
}

// findBoth searches among problems without and with sharing affinity.
func findBoth(t *testing.T, config gen.Config, holds property) {
	t.Helper()
	find(t, config, holds)
	t.Run("with sharing affinity", func(t *testing.T) {
		config.Affinity = true
		find(t, config, holds)
	})
}

func keep(t *testing.T, failing *problem.Problem, holds property) {
	smallest := diff.Minimize(failing, func(p *problem.Problem) bool { return holds(p) != nil })
	text, err := problem.YAML(smallest)
	if err != nil {
		t.Errorf("write the case: %v", err)
		return
	}
	folder := filepath.Join("testdata", "divergences")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Errorf("keep the case: %v", err)
		return
	}
	file := filepath.Join(folder, strings.ReplaceAll(t.Name(), "/", "-")+".yaml")
	why := strings.ReplaceAll(fmt.Sprint(holds(smallest)), "\n", "\n# ")
	if err := os.WriteFile(file, fmt.Appendf(nil, "# %s\n%s", why, text), 0o644); err != nil {
		t.Errorf("keep the case: %v", err)
		return
	}
	t.Logf("kept as %s:\n# %s\n%s", file, why, text)
}

// kubernetes returns the outcome of Kubernetes, which is the reference.
func kubernetes(p *problem.Problem, node int) diff.Outcome {
	return diff.Run(diff.WithStepLimit(context.Background(), steps), diff.Experimental, p, p.Nodes[node])
}
