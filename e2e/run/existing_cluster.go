// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// existingCluster is a cluster that the run does not own.
type existingCluster struct {
	*runner
	provider     *existing.Provider
	kindProvider *kind.Provider // Nil unless draconform created the cluster.
}

func (e existingCluster) create(ctx context.Context) (*rest.Config, error) {
	st := e.Progress.Task("cluster %s", e.provider.Name())
	if _, err := e.provider.Create(ctx); err != nil {
		return nil, st.Fail(err)
	}
	st.Done("responds")
	return e.provider.KubernetesRestConfig(), nil
}

// logs does nothing, because the logs of the nodes are not accessible.
func (e existingCluster) logs(context.Context, string) error { return nil }

func (e existingCluster) remove(ctx context.Context) error { return e.provider.Destroy(ctx) }

// nodes returns nil unless draconform created the cluster, so that the nodes of
// other clusters are not restarted.
func (e existingCluster) nodes() operations.Nodes {
	if e.kindProvider == nil {
		return nil
	}
	return e.kindProvider
}

func (e existingCluster) controlPlane() operations.ControlPlane {
	if e.kindProvider == nil {
		return nil
	}
	return e.kindProvider
}

func (e existingCluster) kindName() string {
	if e.kindProvider == nil {
		return ""
	}
	return e.kindProvider.Name()
}

func (e existingCluster) another(context.Context) (*controlPlaneParts, error) { return nil, nil }

func (e existingCluster) watch(ctx context.Context) (context.Context, func() *suite.Ended) {
	return ctx, watchesNothing
}

func (e existingCluster) changer() operations.Changer {
	if e.kindProvider == nil {
		return nil
	}
	return e.newChanger(e.kindProvider)
}

func (e existingCluster) owned() bool { return false }

func (e existingCluster) kubeconfig() (path, contextName string) {
	return e.provider.GetKubeconfig(), e.provider.GetKubectlContext()
}

func (e existingCluster) describe(c *report.Cluster) {
	c.Provider, c.Name = Existing, e.provider.Name()
}

func (e existingCluster) cleanupHint() string {
	return fmt.Sprintf("kept all objects of run %s in cluster %s, delete them with: %s", e.id, e.provider.Name(), e.cleanCommand(e.provider.GetKubectlContext()))
}

// cleanCommand returns the command that deletes the objects of the run in an
// existing cluster. An empty context is that of the pod that the command runs in.
func (r *runner) cleanCommand(contextName string) string {
	command := []string{"draconform clean --provider existing --run", r.id}
	for _, flag := range []struct{ name, value string }{{"kubeconfig", r.Kubeconfig}, {"context", contextName}, {"namespace", r.Namespace}} {
		if flag.value != "" {
			command = append(command, "--"+flag.name, flag.value)
		}
	}
	return strings.Join(command, " ")
}

// notRemoved returns the errors of the removal of a run's objects, with the command
// that deletes what is left of them in an existing cluster. A cluster that the run
// owns is removed with all that is in it.
func (r *runner) notRemoved(owned bool, contextName string, removals ...error) error {
	err := errors.Join(removals...)
	if err == nil || owned {
		return err
	}
	return errors.Join(err, fmt.Errorf("objects of the run may remain in the cluster: delete them with %q", r.cleanCommand(contextName)))
}
