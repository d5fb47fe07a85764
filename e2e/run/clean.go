// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

// CleanConfig configures [Clean].
type CleanConfig struct {
	// Provider is kind or existing.
	Provider string
	// RunID limits the clean-up to one run. Empty means all runs.
	RunID string
	// Images also removes node images that were built. It requires the provider
	// kind.
	Images bool
	// Kubeconfig and Context select an existing cluster.
	Kubeconfig, Context string
	// Namespace limits the clean-up of an existing cluster to one namespace, for
	// callers without rights on others. Cluster-scoped objects stay. Empty means
	// the whole cluster.
	Namespace string
	// DryRun receives what would be removed, in the order of removal. Nothing is
	// removed then, unless it is nil.
	DryRun   func(Leftover)
	Progress *progress.Reporter
}

// Leftover is an object that a run left behind, or what a driver has left.
type Leftover struct {
	// Kind is the kind in words, such as "container" or "device class".
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns for example "job default/draconform-a1b2".
func (l Leftover) String() string {
	if l.Namespace != "" {
		return l.Kind + " " + l.Namespace + "/" + l.Name
	}
	return l.Kind + " " + l.Name
}

// Clean removes the objects that runs left behind. It finds them by their label
// only.
func Clean(ctx context.Context, c CleanConfig) error {
	if err := oneOf("provider", &c.Provider, Kind, Existing); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if len(validation.IsValidLabelValue(c.RunID)) > 0 {
		return fmt.Errorf("%w: %q is not a valid run id", ErrConfig, c.RunID)
	}
	if c.Namespace != "" && c.Provider != Existing {
		return fmt.Errorf("%w: a namespace is only cleaned with provider %s", ErrConfig, Existing)
	}
	if c.Provider == Existing {
		return c.cleanExisting(ctx)
	}
	e, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	return c.cleanEngine(ctx, e)
}

// cleanEngine removes clusters first, which also removes them from kubeconfigs.
func (c CleanConfig) cleanEngine(ctx context.Context, e *engine.Engine) error {
	found, err := kind.List(ctx, e)
	if err != nil {
		return err
	}
	var errs []error
	for _, cl := range found {
		if c.RunID != "" && c.RunID != cl.Run {
			continue
		}
		errs = append(errs, c.remove(Leftover{Kind: "cluster", Name: cl.Name}, func() error {
			return kind.New(e, kind.Options{Name: cl.Name, Run: cl.Run}).Destroy(ctx)
		}))
	}
	labels := []string{engine.RunLabel}
	if c.Images {
		labels = append(labels, nodeimage.Label)
	}
	for _, label := range labels {
		objects, err := e.Labelled(ctx, label)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if c.RunID != "" {
			objects = objects.WithValue(c.RunID)
		}
		for _, o := range objects.Containers {
			errs = append(errs, c.remove(Leftover{Kind: "container", Name: o.Name}, func() error {
				return e.Remove(ctx, engine.Objects{Containers: []engine.Object{o}})
			}))
		}
		for _, o := range objects.Images {
			errs = append(errs, c.remove(Leftover{Kind: "image", Name: o.Name}, func() error {
				return e.Remove(ctx, engine.Objects{Images: []engine.Object{o}})
			}))
		}
	}
	return errors.Join(errs...)
}

// cleanExisting cleans the cluster that the kubeconfig selects.
func (c CleanConfig) cleanExisting(ctx context.Context) error {
	provider, err := existing.New(c.Kubeconfig, c.Context)
	if err != nil {
		return err
	}
	if _, err := provider.Create(ctx); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(provider.KubernetesRestConfig())
	if err != nil {
		return err
	}
	return c.CleanCluster(ctx, client)
}

// selector returns the label selector of the objects to remove.
func (c CleanConfig) selector() metav1.ListOptions {
	selector := metav1.ListOptions{LabelSelector: engine.RunLabel}
	if c.RunID != "" {
		selector.LabelSelector += "=" + c.RunID
	}
	return selector
}

// remove reports what it removes, or what it would remove in a dry run.
func (c CleanConfig) remove(what Leftover, do func() error) error {
	if c.DryRun != nil {
		c.DryRun(what)
		return nil
	}
	st := c.Progress.Task("remove %s", what)
	if err := do(); err != nil {
		return st.Fail(fmt.Errorf("remove %s: %w", what, err))
	}
	st.Done("")
	return nil
}
