package run

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// anywhere is a cluster of which only the kubeconfig is used.
type anywhere struct{}

func (anywhere) create(context.Context) (*rest.Config, error) { return nil, nil }
func (anywhere) logs(context.Context, string) error           { return nil }
func (anywhere) remove(context.Context) error                 { return nil }
func (anywhere) nodes() operations.Nodes                      { return nil }
func (anywhere) changer() operations.Changer                  { return nil }
func (anywhere) owned() bool                                  { return true }
func (anywhere) kubeconfig() (path, contextName string)       { return "/a/kubeconfig", "there" }
func (anywhere) describe(*report.Cluster)                     {}
func (anywhere) kept() string                                 { return "" }

// besideNodes returns specs that can run in parallel, and one that cannot.
func besideNodes(ids ...string) []suite.Spec {
	specs := []suite.Spec{{ID: "restarts-nodes", Needs: []env.Need{env.NeedsNodes}}}
	for _, id := range ids {
		specs = append(specs, suite.Spec{ID: id, Needs: []env.Need{env.NeedsSimulatedNodes}})
	}
	return specs
}

// script returns a shell process of a part. It reads the description of the
// part into the variable part.
func script(text string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", "-c", `part=$(cat); of() { case "$part" in *"\"$1\""*) return 0;; esac; return 1; }; `+text)
	}
}

// passes reports that a spec passed, if it belongs to the part.
func passes(id string) string {
	return fmt.Sprintf(`if of %s; then echo '{"id":%q,"outcome":"passed","duration":2000000000,"steps":[{"Text":"looking"}]}'; fi; `, id, id)
}

func partsRunner(out *bytes.Buffer, part func(context.Context) *exec.Cmd) *runner {
	return &runner{plan: &plan{Config: Config{Parallel: 2, Part: part, Progress: progress.New(out)}, id: "run-1", suffix: "1"}, total: 4}
}

func TestPartsRunSpecsBesideEachOther(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := partsRunner(&out, script(passes("a")+passes("b")+passes("c")))
	got, err := r.beside(t.Context(), anywhere{}, besideNodes("a", "b", "c"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveLen(3), "the one that restarts nodes is left to the run")
	for _, id := range []string{"a", "b", "c"} {
		g.Expect(got[id].Outcome).To(Equal(suite.Passed))
		g.Expect(got[id].Spec.ID).To(Equal(id))
		g.Expect(got[id].Duration).To(Equal(2 * time.Second))
		g.Expect(got[id].Steps).To(HaveLen(1))
	}
	g.Expect(out.String()).To(ContainSubstring("3 specs in 2 processes, up to 2 at a time"))
	g.Expect(out.String()).To(ContainSubstring("spec 3 of 4: "))
}

// Each of these specs may stop the driver, so that none may run in parallel
// with the others.
func TestSpecsOfOneDriverRunInOneProcess(t *testing.T) {
	g := NewWithT(t)
	of := func(kinds ...subject.Kind) suite.Spec {
		return suite.Spec{Kinds: kinds, Needs: []env.Need{env.NeedsDrivers}}
	}
	stage := suite.Spec{Needs: []env.Need{env.NeedsSimulatedNodes}}
	partition, exclusive, shared := of(subject.KindPartition), of(subject.KindExclusive), of(subject.KindShared)
	g.Expect(share([]suite.Spec{stage, shared, partition, stage, exclusive, stage, exclusive}, 2)).To(Equal([][]suite.Spec{
		{partition, exclusive, exclusive}, {stage, stage}, {stage}, {shared},
	}))
	for _, s := range []suite.Spec{stage, shared} {
		g.Expect(together(s)).To(BeTrue())
	}
	g.Expect(together(of(subject.KindShared, subject.KindPartition))).To(BeFalse(), "it would disturb those of both drivers")
}

func TestNoPartBeginsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(context.Context) *exec.Cmd { t.Error("started a process"); return nil }
	_, err := partsRunner(&bytes.Buffer{}, never).beside(ctx, anywhere{}, besideNodes("a", "b"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestPartsAreTold(t *testing.T) {
	g := NewWithT(t)
	for _, want := range []string{`"kubeconfig":"/a/kubeconfig"`, `"context":"there"`, `"owned":true`, `"id":"run-1"`, `"suffix":"1"`} {
		check := fmt.Sprintf(`case "$part" in *'%s'*) ;; *) echo "not told: $part" >&2; exit 3;; esac; `, want)
		_, err := partsRunner(&bytes.Buffer{}, script(check)).beside(t.Context(), anywhere{}, besideNodes("a", "b"))
		g.Expect(err).NotTo(HaveOccurred())
	}
}

// A spec that no part has run has not passed.
func TestPartsThatEnd(t *testing.T) {
	g := NewWithT(t)
	r := partsRunner(&bytes.Buffer{}, script(passes("a")+`if of b; then echo "out of memory" >&2; exit 7; fi`))
	got, err := r.beside(t.Context(), anywhere{}, besideNodes("a", "b"))
	g.Expect(err).To(MatchError(MatchRegexp(`^part \d of the run: exit status 7: out of memory$`)))
	g.Expect(got["b"].Outcome).To(BeEmpty())
	g.Expect(got["b"].Reason).To(Equal("the process that should run it ended before"))

	r = partsRunner(&bytes.Buffer{}, script(`echo nonsense`))
	_, err = r.beside(t.Context(), anywhere{}, besideNodes("a", "b"))
	g.Expect(err).To(MatchError(ContainSubstring("read what a part of the run tells: ")))
}

func TestPartsEndWithTheFirstFailure(t *testing.T) {
	g := NewWithT(t)
	ready := filepath.Join(t.TempDir(), "ready")
	fails := `if of a; then until [ -e ` + ready + ` ]; do sleep 0.01; done; echo '{"id":"a","outcome":"failed","reason":"it does not"}'; exit 0; fi; `
	waits := `trap 'echo "{\"id\":\"b\",\"outcome\":\"skipped\"}"; exit 0' TERM; touch ` + ready + `; while :; do sleep 0.05; done`
	r := partsRunner(&bytes.Buffer{}, script(fails+waits))
	r.FailFast = true
	got, err := r.beside(t.Context(), anywhere{}, besideNodes("a", "b"))
	g.Expect(got["a"].Outcome).To(Equal(suite.Failed))
	g.Expect(got["b"].Outcome).To(Equal(suite.Skipped), "it was asked to end, and waited for")
	g.Expect(err).NotTo(HaveOccurred(), "to be told to end is no error")
}

func TestOnePartIsNone(t *testing.T) {
	g := NewWithT(t)
	never := func(context.Context) *exec.Cmd { t.Error("started a process"); return nil }
	for name, r := range map[string]*runner{
		"one process":  partsRunner(&bytes.Buffer{}, never),
		"one spec":     partsRunner(&bytes.Buffer{}, never),
		"no processes": partsRunner(&bytes.Buffer{}, nil),
	} {
		specs := besideNodes("a", "b")
		switch {
		case strings.HasPrefix(name, "one process"):
			r.Parallel = 1
		case name == "one spec":
			specs = besideNodes("a")
		}
		got, err := r.beside(t.Context(), anywhere{}, specs)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(BeEmpty(), name)
	}
}
