// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestMain(m *testing.M) { fake.Main(m) }

// builderOf returns a builder of the newest release with an empty cache.
func builderOf(t *testing.T) *builder {
	t.Helper()
	b, err := newBuilder(Options{Release: clusters.Newest(), CacheDir: t.TempDir()})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return b
}

// kindModule returns the folder of kind's module. go.mod and inputs.yaml pin
// the same version. The folder exists: packages that this package imports
// depend on the module.
func kindModule(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind").Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(out))
}

// lots is longer than any operation in these tests.
const lots = 30 * time.Second
