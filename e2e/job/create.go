// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
)

// fieldManager is the field manager of the objects of Jobs.
const fieldManager = "draconform-job"

// typedClient is the common part of the typed clients of the kinds in the
// manifests.
type typedClient[T metav1.Object] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
}

// create creates an object. An object that exists is never changed: the error
// then states to which run it belongs.
func create(ctx context.Context, client kubernetes.Interface, object runtime.Object) error {
	switch o := object.(type) {
	case *corev1.Namespace:
		return createWith(ctx, client.CoreV1().Namespaces(), "namespace", o)
	case *corev1.ServiceAccount:
		return createWith(ctx, client.CoreV1().ServiceAccounts(o.Namespace), "service account", o)
	case *corev1.ConfigMap:
		return createWith(ctx, client.CoreV1().ConfigMaps(o.Namespace), "config map", o)
	case *rbacv1.ClusterRole:
		return createWith(ctx, client.RbacV1().ClusterRoles(), "cluster role", o)
	case *rbacv1.ClusterRoleBinding:
		return createWith(ctx, client.RbacV1().ClusterRoleBindings(), "cluster role binding", o)
	case *rbacv1.Role:
		return createWith(ctx, client.RbacV1().Roles(o.Namespace), "role", o)
	case *rbacv1.RoleBinding:
		return createWith(ctx, client.RbacV1().RoleBindings(o.Namespace), "role binding", o)
	case *batchv1.Job:
		return createWith(ctx, client.BatchV1().Jobs(o.Namespace), "job", o)
	default:
		return fmt.Errorf("create %T: there is no client for it", object)
	}
}

func createWith[T metav1.Object](ctx context.Context, client typedClient[T], what string, object T) error {
	_, err := client.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager})
	if apierrors.IsAlreadyExists(err) {
		err = explainExisting(ctx, client, object.GetName(), err)
	}
	if err != nil {
		return fmt.Errorf("create %s %s: %w", what, object.GetName(), err)
	}
	return nil
}

// explainExisting describes an object that exists already.
func explainExisting[T metav1.Object](ctx context.Context, client typedClient[T], name string, exists error) error {
	got, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return exists
	}
	if run := got.GetLabels()[engine.RunLabel]; run != "" {
		return fmt.Errorf("it exists already and belongs to run %s: choose another name, or delete it with \"draconform clean --provider existing --run %s\"", run, run)
	}
	return fmt.Errorf("it exists already and does not belong to draconform: choose another name")
}
