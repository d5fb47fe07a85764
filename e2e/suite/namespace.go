package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// open creates the spec's namespace.
func (e *Env) open(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace, Labels: map[string]string{}}}
	maps.Copy(namespace.Labels, e.Labels)
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	if _, err := e.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create namespace %s: %w", e.Namespace, err)
	}
	return nil
}

// serviceAccount waits for the default service account of the namespace. The
// API server does not admit pods before it exists.
func (e *Env) serviceAccount(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, pollInterval, e.Timeouts.Refuse, true, func(ctx context.Context) (bool, error) {
		_, err := e.Client.CoreV1().ServiceAccounts(e.Namespace).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for the default service account of namespace %s: %w", e.Namespace, err)
	}
	return nil
}

// tearDown deletes what the spec created. It does not wait until the namespace
// is removed, because that takes a while and does not affect the next spec.
// [namespacesGone] waits for all namespaces at the end.
func (e *Env) tearDown(ctx context.Context) error {
	err := errors.Join(e.removeAll(ctx), e.removeClasses(ctx))
	for _, cleanup := range e.Cleanups {
		err = errors.Join(err, cleanup(ctx))
	}
	removeErr := e.Client.CoreV1().Namespaces().Delete(ctx, e.Namespace, metav1.DeleteOptions{})
	if removeErr != nil && !apierrors.IsNotFound(removeErr) {
		err = errors.Join(err, fmt.Errorf("remove namespace %s: %w", e.Namespace, removeErr))
	}
	return err
}

// namespacesGone waits until the namespaces of all specs are removed. Its error
// lists the content of the remaining ones.
func namespacesGone(ctx context.Context, client kubernetes.Interface, names []string, timeout time.Duration) error {
	var left error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		var errs []error
		for _, name := range names {
			ns, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
			case err != nil:
				return false, err
			default:
				errs = append(errs, stillThere(ns))
			}
		}
		left = errors.Join(errs...)
		return left == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until the namespaces of the specs are gone, for %s: %w", timeout.Round(time.Second), errors.Join(left, err))
	}
	return nil
}

func stillThere(ns *corev1.Namespace) error {
	what := []string{"namespace " + ns.Name}
	for _, c := range ns.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			what = append(what, c.Message)
		}
	}
	return errors.New(strings.Join(what, "; "))
}
