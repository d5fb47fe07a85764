// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Kind is a kind of objects that runs create.
type Kind struct {
	// Name is the name of the kind in messages.
	Name string
	// List returns the objects. In a client for all namespaces, they are of all
	// namespaces.
	List func(context.Context, metav1.ListOptions) ([]types.NamespacedName, error)
	// Delete deletes an object.
	Delete func(context.Context, types.NamespacedName, metav1.DeleteOptions) error
}

// Kinds returns the kinds of objects that runs create in a namespace, in the
// order of their removal: devices are in use until the pods are removed. An
// empty namespace lists the objects of all namespaces.
func Kinds(client kubernetes.Interface, namespace string) []Kind {
	coordination := client.CoordinationV1()
	return append(kindsOfSpecs(client, namespace), Kind{
		"lease", namesOf(coordination.Leases(namespace).List), func(ctx context.Context, n types.NamespacedName, o metav1.DeleteOptions) error {
			return coordination.Leases(n.Namespace).Delete(ctx, n.Name, o)
		},
	})
}

// kindsOfSpecs returns the kinds of objects that specs create.
func kindsOfSpecs(client kubernetes.Interface, namespace string) []Kind {
	core, dra := client.CoreV1(), client.ResourceV1()
	return []Kind{
		{"pod", namesOf(core.Pods(namespace).List), func(ctx context.Context, n types.NamespacedName, o metav1.DeleteOptions) error {
			return core.Pods(n.Namespace).Delete(ctx, n.Name, o)
		}},
		{"claim", namesOf(dra.ResourceClaims(namespace).List), func(ctx context.Context, n types.NamespacedName, o metav1.DeleteOptions) error {
			return dra.ResourceClaims(n.Namespace).Delete(ctx, n.Name, o)
		}},
		{"claim template", namesOf(dra.ResourceClaimTemplates(namespace).List), func(ctx context.Context, n types.NamespacedName, o metav1.DeleteOptions) error {
			return dra.ResourceClaimTemplates(n.Namespace).Delete(ctx, n.Name, o)
		}},
	}
}

// namesOf converts a typed list call into one that returns names.
func namesOf[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) func(context.Context, metav1.ListOptions) ([]types.NamespacedName, error) {
	return func(ctx context.Context, o metav1.ListOptions) ([]types.NamespacedName, error) {
		found, err := list(ctx, o)
		if err != nil {
			return nil, err
		}
		var all []types.NamespacedName
		err = meta.EachListItem(found, func(o runtime.Object) error {
			object, err := meta.Accessor(o)
			if err == nil {
				all = append(all, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()})
			}
			return err
		})
		return all, err
	}
}

// Remaining returns the selected pods, claims and claim templates of a
// namespace.
func Remaining(ctx context.Context, client kubernetes.Interface, namespace string, selected metav1.ListOptions) ([]string, error) {
	var all []string
	for _, kind := range kindsOfSpecs(client, namespace) {
		names, err := kind.List(ctx, selected)
		if err != nil {
			return nil, fmt.Errorf("list each %s of namespace %s: %w", kind.Name, namespace, err)
		}
		for _, name := range names {
			all = append(all, kind.Name+" "+name.Name)
		}
	}
	return all, nil
}

// DeleteSelected deletes the selected pods, claims and claim templates of a
// namespace and waits until they are removed, at most for the timeout.
func DeleteSelected(ctx context.Context, client kubernetes.Interface, namespace string, selected metav1.ListOptions, timeout time.Duration) error {
	var errs []error
	for _, kind := range kindsOfSpecs(client, namespace) {
		names, err := kind.List(ctx, selected)
		if err != nil {
			errs = append(errs, fmt.Errorf("list each %s of namespace %s: %w", kind.Name, namespace, err))
		}
		for _, name := range names {
			if err := kind.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				errs = append(errs, fmt.Errorf("delete %s %s: %w", kind.Name, name, err))
			}
		}
	}
	var left []string
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, timeout, true, func(ctx context.Context) (_ bool, err error) {
		left, err = Remaining(ctx, client, namespace, selected)
		return len(left) == 0, err
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("wait until the objects of the run are removed from namespace %s, for %s: %w; it still has %s", namespace, timeout, err, strings.Join(left, ", ")))
	}
	return errors.Join(errs...)
}

// deleteTemplates deletes the spec's claim templates.
func deleteTemplates(ctx context.Context, client kubernetes.Interface, namespace string, selected metav1.ListOptions) error {
	templates := client.ResourceV1().ResourceClaimTemplates(namespace)
	list, err := templates.List(ctx, selected)
	if err != nil {
		return fmt.Errorf("list the claim templates of namespace %s: %w", namespace, err)
	}
	var errs []error
	for _, template := range list.Items {
		if err := templates.Delete(ctx, template.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete claim template %s: %w", template.Name, err))
		}
	}
	return errors.Join(errs...)
}
