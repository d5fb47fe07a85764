// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// terminationTimeout limits the wait for the end of a run in a pod. It is longer
// than the grace period of the pod.
const terminationTimeout = 11 * time.Minute

// CleanCluster removes the objects of runs from a cluster, as [Clean] does. The
// configuration of the provider is ignored. Runs in pods of Jobs are terminated
// first, because they remove objects themselves and lose their rights here.
func (c CleanConfig) CleanCluster(ctx context.Context, client kubernetes.Interface) error {
	selector := c.selector()
	var errs []error
	jobs, err := objectsOf(client.BatchV1().Jobs(c.Namespace).List)(ctx, selector)
	if err != nil {
		errs = append(errs, fmt.Errorf("list jobs: %w", err))
	}
	for _, job := range jobs {
		errs = append(errs, c.remove("job "+job.String(), func() error { return terminate(ctx, client, job) }))
	}
	var namespaces []string
	if c.Namespace == "" {
		if namespaces, err = names(client.CoreV1().Namespaces().List)(ctx, selector); err != nil {
			errs = append(errs, fmt.Errorf("list namespaces: %w", err))
		}
	}
	// A Job leaves these in namespaces that are not its own.
	for _, kind := range []struct {
		what   string
		list   func(context.Context, metav1.ListOptions) ([]object, error)
		delete func(context.Context, object) error
	}{
		{"config map", objectsOf(client.CoreV1().ConfigMaps(c.Namespace).List), func(ctx context.Context, o object) error {
			return client.CoreV1().ConfigMaps(o.namespace).Delete(ctx, o.name, o.onlyThis())
		}},
		{"service account", objectsOf(client.CoreV1().ServiceAccounts(c.Namespace).List), func(ctx context.Context, o object) error {
			return client.CoreV1().ServiceAccounts(o.namespace).Delete(ctx, o.name, o.onlyThis())
		}},
		{"role binding", objectsOf(client.RbacV1().RoleBindings(c.Namespace).List), func(ctx context.Context, o object) error {
			return client.RbacV1().RoleBindings(o.namespace).Delete(ctx, o.name, o.onlyThis())
		}},
		{"role", objectsOf(client.RbacV1().Roles(c.Namespace).List), func(ctx context.Context, o object) error {
			return client.RbacV1().Roles(o.namespace).Delete(ctx, o.name, o.onlyThis())
		}},
	} {
		found, err := kind.list(ctx, selector)
		if err != nil {
			errs = append(errs, fmt.Errorf("list %ss: %w", kind.what, err))
		}
		for _, o := range found {
			if !slices.Contains(namespaces, o.namespace) {
				errs = append(errs, c.remove(kind.what+" "+o.String(), func() error { return kind.delete(ctx, o) }))
			}
		}
	}
	return errors.Join(append(errs, c.cleanCluster(ctx, client))...)
}

// terminate deletes a Job and waits until its pods have ended.
func terminate(ctx context.Context, client kubernetes.Interface, job object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, terminationTimeout, fmt.Errorf("its pod has not ended after %s", terminationTimeout))
	defer cancel()
	options := job.onlyThis()
	options.PropagationPolicy = ptr.To(metav1.DeletePropagationForeground)
	jobs := client.BatchV1().Jobs(job.namespace)
	if err := jobs.Delete(ctx, job.name, options); err != nil {
		return ignoreGone(err)
	}
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		got, err := jobs.Get(ctx, job.name, metav1.GetOptions{})
		if err == nil {
			return got.UID != *options.Preconditions.UID, nil
		}
		return apierrors.IsNotFound(err), ignoreGone(err)
	})
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// object identifies a namespaced object.
type object struct {
	namespace, name string
	meta            metav1.Object
}

func (o object) String() string { return o.namespace + "/" + o.name }

// onlyThis returns options that delete no other object of the same name.
func (o object) onlyThis() metav1.DeleteOptions {
	return metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(o.meta.GetUID()))}
}

// objectsOf converts a typed list call into one that returns objects.
func objectsOf[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) func(context.Context, metav1.ListOptions) ([]object, error) {
	return func(ctx context.Context, o metav1.ListOptions) ([]object, error) {
		found, err := list(ctx, o)
		if err != nil {
			return nil, err
		}
		var all []object
		err = meta.EachListItem(found, func(item runtime.Object) error {
			accessor, err := meta.Accessor(item)
			if err == nil {
				all = append(all, object{accessor.GetNamespace(), accessor.GetName(), accessor})
			}
			return err
		})
		return all, err
	}
}
