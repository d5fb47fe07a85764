package suite

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
)

// serviceAccount waits for the namespace's default service account, without
// which no pod is admitted.
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

// removeNamespace deletes the spec's namespace and waits until it is gone.
func (e *Env) removeNamespace(ctx context.Context) error {
	namespaces := e.Client.CoreV1().Namespaces()
	err := namespaces.Delete(ctx, e.Namespace, metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove namespace %s: %w", e.Namespace, err)
	}
	var left string
	err = wait.PollUntilContextTimeout(ctx, pollInterval, e.Timeouts.Gone, true, func(ctx context.Context) (bool, error) {
		ns, err := namespaces.Get(ctx, e.Namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		left = ""
		for _, c := range ns.Status.Conditions {
			if c.Status == "True" {
				left += "; " + c.Message
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait until namespace %s is gone, for %s: %w%s", e.Namespace, e.Timeouts.Gone.Round(time.Second), err, left)
	}
	return nil
}
