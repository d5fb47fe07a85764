package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite/operations"
)

func (r *runner) cluster(ctx context.Context) (cluster, error) {
	if r.Provider == Existing {
		provider, err := existing.New(r.Kubeconfig, r.Context)
		if err != nil {
			return nil, err
		}
		steered, err := r.steered(ctx)
		if err != nil {
			return nil, err
		}
		return existingCluster{r, provider, steered}, nil
	}
	st := r.Progress.Task("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return nil, st.Fail(err)
	}
	st.Done(e.Name() + " " + e.Version())
	return &kindCluster{r, e, kind.New(e, kind.Options{
		Name: "draconform-" + r.suffix, Run: r.id, Release: r.release, Workers: r.Workers, Gates: r.gates, Serve: r.Serve, Image: r.NodeImage,
		Images: []images.Image{images.Fakedriver, images.Workload}, Scheduler: r.Scheduler, Kubeconfig: filepath.Join(r.dir, "kubeconfig"), Progress: r.Progress,
	})}, nil
}

// kindCluster is a cluster that the run creates and removes.
type kindCluster struct {
	*runner
	engine   *engine.Engine
	provider *kind.Provider
}

func (k *kindCluster) create(ctx context.Context) (*rest.Config, error) {
	if err := k.expect(ctx); err != nil {
		return nil, err
	}
	if _, err := k.provider.Create(ctx); err != nil {
		return nil, err
	}
	return k.provider.KubernetesRestConfig(), nil
}

func (k *kindCluster) logs(ctx context.Context, dir string) error {
	return k.provider.ExportLogs(ctx, dir)
}

func (k *kindCluster) nodes() operations.Nodes { return k.provider }

func (k *kindCluster) changer() operations.Changer { return k.newChanger(k.provider) }

func (k *kindCluster) owned() bool { return true }

func (k *kindCluster) kubeconfig() (path, contextName string) {
	return k.provider.GetKubeconfig(), k.provider.GetKubectlContext()
}

func (k *kindCluster) remove(ctx context.Context) error {
	st := k.Progress.Task("remove cluster %s", k.provider.Name())
	if err := k.provider.Destroy(ctx); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}

func (k *kindCluster) describe(c *report.Cluster) {
	c.Provider, c.Name, c.GateSet, c.Scheduler = Kind, k.provider.Name(), k.gates.Name(), k.Scheduler
}

func (k *kindCluster) kept() string {
	return fmt.Sprintf("kept cluster %s\n  use it:    export KUBECONFIG=%s\n  remove it: draconform cluster delete %s", k.provider.Name(), absolute(k.provider.GetKubeconfig()), k.provider.Name())
}

// steered returns access to the nodes of an existing cluster that draconform
// created, or nil for other clusters.
func (r *runner) steered(ctx context.Context) (*kind.Provider, error) {
	if r.KindCluster == "" {
		return nil, nil
	}
	e, err := engine.Find(ctx)
	if err != nil {
		return nil, err
	}
	return kind.Find(ctx, e, r.KindCluster, r.Kubeconfig)
}

// existingCluster is a cluster that the run does not own.
type existingCluster struct {
	*runner
	provider *existing.Provider
	steered  *kind.Provider // Nil unless draconform created the cluster.
}

func (e existingCluster) create(ctx context.Context) (*rest.Config, error) {
	st := e.Progress.Task("cluster %s", e.provider.GetKubectlContext())
	if _, err := e.provider.Create(ctx); err != nil {
		return nil, st.Fail(err)
	}
	st.Done("answers")
	return e.provider.KubernetesRestConfig(), nil
}

// logs does nothing, because the logs of the nodes are not accessible.
func (e existingCluster) logs(context.Context, string) error { return nil }

// nodes returns nil unless draconform created the cluster, so that the nodes of
// other clusters are not restarted.
func (e existingCluster) nodes() operations.Nodes {
	if e.steered == nil {
		return nil
	}
	return e.steered
}

func (e existingCluster) changer() operations.Changer {
	if e.steered == nil {
		return nil
	}
	return e.newChanger(e.steered)
}

func (e existingCluster) owned() bool { return false }

func (e existingCluster) kubeconfig() (path, contextName string) {
	return e.provider.GetKubeconfig(), e.provider.GetKubectlContext()
}

func (e existingCluster) remove(ctx context.Context) error { return e.provider.Destroy(ctx) }

func (e existingCluster) describe(c *report.Cluster) {
	c.Provider, c.Name = Existing, e.provider.GetKubectlContext()
}

func (e existingCluster) kept() string {
	return fmt.Sprintf("kept everything of run %s in cluster %s, remove it with: draconform clean --provider existing --context %s", e.id, e.provider.GetKubectlContext(), e.provider.GetKubectlContext())
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n     ")
}
