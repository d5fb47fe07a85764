package kind

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

func TestNodeNames(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, twoClusters)
	all, err := p.NodeNames(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all).To(ContainElements(p.ControlPlaneNode(), "c-worker"))
	g.Expect(all).NotTo(ContainElement(HavePrefix("d-")), "those are another cluster's")
	p.options.Name = "nobody"
	_, err = p.NodeNames(t.Context())
	g.Expect(err).To(MatchError(`there is no cluster "nobody"`))
}

// Waiting for nodes counts them.
func TestFindKnowsHowManyWorkersThereAre(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, fakecmd.Answer{Args: listOurs, Stdout: "c;r1;c-control-plane;running\nc;r1;c-worker;running\nc;r1;c-worker2;running\n"})
	found, err := Find(t.Context(), p.engine, "c", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.options.Workers).To(Equal(2))
}

func TestLoadImageArchiveIntoOneNode(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fakecmd.Answer{Args: listNodes, Stdout: "c-worker\nc-control-plane\n"}, nodeRole,
		fakecmd.Answer{Args: "exec --privileged c-worker containerd", Stdout: containerdConfig}, fakecmd.Answer{Args: "exec --privileged -i"})
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(os.WriteFile(archive, []byte("an archive"), 0o600)).To(Succeed())
	g.Expect(p.LoadImageArchiveInto(t.Context(), "c-worker", archive)).To(Succeed())
	g.Expect(f.Lines()).To(ContainElement(HavePrefix("docker exec --privileged -i c-worker ctr")))
	g.Expect(f.Lines()).NotTo(ContainElement(HavePrefix("docker exec --privileged -i c-control-plane")))
	g.Expect(p.LoadImageArchiveInto(t.Context(), "d-worker", archive)).To(MatchError(`cluster c has no node "d-worker"`))
}
