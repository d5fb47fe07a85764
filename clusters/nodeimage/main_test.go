package nodeimage

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

func TestMain(m *testing.M) { fakecmd.Main(m) }

// builderOf is a builder of the newest release with an empty cache.
func builderOf(t *testing.T) *builder {
	t.Helper()
	b, err := newBuilder(Options{Release: clusters.Newest(), CacheDir: t.TempDir()})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return b
}

// kindModule is the folder of kind's module in the version that go.mod and
// inputs.yaml name alike. It is there: this package imports kind's neighbours.
func kindModule(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind").Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(out))
}

// lots is more time than anything here takes.
const lots = 30 * time.Second
