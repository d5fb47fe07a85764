// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/fakedriver/install"
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
	// DryRun only reports what would be removed.
	DryRun   bool
	Progress *progress.Reporter
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
		errs = append(errs, c.remove("cluster "+cl.Name, func() error {
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
			return err
		}
		if c.RunID != "" {
			objects = objects.WithValue(c.RunID)
		}
		for _, o := range objects.Containers {
			errs = append(errs, c.remove("container "+o.Name, func() error {
				return e.Remove(ctx, engine.Objects{Containers: []engine.Object{o}})
			}))
		}
		for _, o := range objects.Images {
			errs = append(errs, c.remove("image "+o.Name, func() error {
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

// cleanCluster removes labelled objects in namespaces that are not labelled,
// labelled cluster-scoped objects, and labelled namespaces with their content.
func (c CleanConfig) cleanCluster(ctx context.Context, client kubernetes.Interface) error {
	selector := c.selector()
	if c.Namespace != "" {
		return c.cleanNamespaces(ctx, client, selector, nil)
	}
	labelled, err := client.CoreV1().Namespaces().List(ctx, selector)
	if err != nil {
		return fmt.Errorf("list namespaces: %w", err)
	}
	var removed []string
	for _, namespace := range labelled.Items {
		removed = append(removed, namespace.Name)
	}
	return errors.Join(c.cleanNamespaces(ctx, client, selector, removed), c.cleanClusterScoped(ctx, client, selector))
}

// cleanNamespaces removes labelled objects in the configured namespace, or in
// all namespaces except those that are removed with their content.
func (c CleanConfig) cleanNamespaces(ctx context.Context, client kubernetes.Interface, selector metav1.ListOptions, removed []string) error {
	var errs []error
	for _, kind := range namespaces.Kinds(client, c.Namespace) {
		found, err := kind.List(ctx, selector)
		if err != nil {
			errs = append(errs, fmt.Errorf("list each %s: %w", kind.Name, err))
		}
		for _, name := range found {
			if slices.Contains(removed, name.Namespace) {
				continue
			}
			errs = append(errs, c.remove(kind.Name+" "+name.String(), func() error {
				err := kind.Delete(ctx, name, metav1.DeleteOptions{})
				if apierrors.IsNotFound(err) {
					return nil // A controller may have removed it with its owner.
				}
				return err
			}))
		}
	}
	return errors.Join(errs...)
}

func (c CleanConfig) cleanClusterScoped(ctx context.Context, client kubernetes.Interface, selector metav1.ListOptions) error {
	classes, err := client.ResourceV1().DeviceClasses().List(ctx, selector)
	if err != nil {
		return fmt.Errorf("list device classes: %w", err)
	}
	var errs []error
	for _, kind := range clusterObjects(client) {
		names, err := kind.list(ctx, selector)
		if err != nil {
			errs = append(errs, fmt.Errorf("list %s: %w", kind.what, err))
		}
		for _, name := range names {
			errs = append(errs, c.remove(kind.what+" "+name, func() error { return kind.delete(ctx, name, metav1.DeleteOptions{}) }))
		}
	}
	// The slices of a driver have no run label. The DeviceClass that is named
	// after the driver has one.
	for _, class := range classes.Items {
		driver := class.Labels[install.DriverLabel]
		if driver == "" {
			continue
		}
		errs = append(errs, c.remove("slices and node labels of driver "+driver, func() error {
			return errors.Join(install.RemoveSlices(ctx, client, driver), install.RemoveLabels(ctx, client, driver))
		}))
	}
	return errors.Join(errs...)
}

// remove reports what it removes, or what it would remove in a dry run.
func (c CleanConfig) remove(what string, do func() error) error {
	if c.DryRun {
		c.Progress.Printf("would remove %s", what)
		return nil
	}
	st := c.Progress.Task("remove %s", what)
	if err := do(); err != nil {
		return st.Fail(fmt.Errorf("remove %s: %w", what, err))
	}
	st.Done("")
	return nil
}

// clusterObject is a kind of cluster-scoped objects.
type clusterObject struct {
	what   string
	list   func(context.Context, metav1.ListOptions) ([]string, error)
	delete func(context.Context, string, metav1.DeleteOptions) error
}

// clusterObjects returns the kinds that runs create, in the order of removal.
// The driver's pods are removed with their namespace before the objects that
// they depend on.
func clusterObjects(client kubernetes.Interface) []clusterObject {
	core, rbac, dra, admission := client.CoreV1(), client.RbacV1(), client.ResourceV1(), client.AdmissionregistrationV1()
	bindings, policies := admission.ValidatingAdmissionPolicyBindings(), admission.ValidatingAdmissionPolicies()
	return []clusterObject{
		{"namespace", names(core.Namespaces().List), core.Namespaces().Delete},
		{"validating admission policy binding", names(bindings.List), bindings.Delete},
		{"validating admission policy", names(policies.List), policies.Delete},
		{"cluster role binding", names(rbac.ClusterRoleBindings().List), rbac.ClusterRoleBindings().Delete},
		{"cluster role", names(rbac.ClusterRoles().List), rbac.ClusterRoles().Delete},
		{"device class", names(dra.DeviceClasses().List), dra.DeviceClasses().Delete},
	}
}

// names converts a typed list call into one that returns names.
func names[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) func(context.Context, metav1.ListOptions) ([]string, error) {
	return func(ctx context.Context, o metav1.ListOptions) ([]string, error) {
		found, err := list(ctx, o)
		if err != nil {
			return nil, err
		}
		var all []string
		err = meta.EachListItem(found, func(o runtime.Object) error {
			object, err := meta.Accessor(o)
			if err == nil {
				all = append(all, object.GetName())
			}
			return err
		})
		return all, err
	}
}
