package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// keep dumps what a failed spec left below artifacts.
func (e *Env) keep(ctx context.Context, s Spec, dir string) {
	if err := e.dump(ctx, filepath.Join(dir, "artifacts", s.ID)); err != nil {
		ginkgo.GinkgoWriter.Printf("keep what spec %s left: %v\n", s.ID, err)
	}
}

// dump writes what a failed spec was about into a folder: the objects of its
// namespace and the subject's slices as YAML, and the logs of its containers.
func (e *Env) dump(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep what the spec left: %w", err)
	}
	all := metav1.ListOptions{}
	pods, podsErr := e.Client.CoreV1().Pods(e.Namespace).List(ctx, all)
	claims, claimsErr := e.Client.ResourceV1().ResourceClaims("").List(ctx, all)
	events, eventsErr := e.Client.CoreV1().Events(e.Namespace).List(ctx, all)
	slices, slicesErr := e.Client.ResourceV1().ResourceSlices().List(ctx, all)
	errs := []error{podsErr, claimsErr, eventsErr, slicesErr}
	for name, list := range map[string]runtime.Object{"pods": pods, "claims": claims, "events": events, "slices": slices} {
		errs = append(errs, writeList(filepath.Join(dir, name+".yaml"), list))
	}
	if podsErr == nil {
		for _, pod := range pods.Items {
			log, err := e.log(ctx, pod.Name)
			if err != nil {
				continue // it may never have started, which its status says
			}
			errs = append(errs, os.WriteFile(filepath.Join(dir, pod.Name+".log"), log, 0o600))
		}
	}
	return errors.Join(errs...)
}

func writeList(path string, list runtime.Object) error {
	gvks, _, err := scheme.Scheme.ObjectKinds(list)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	list.GetObjectKind().SetGroupVersionKind(gvks[0])
	content, err := yaml.Marshal(list)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, content, 0o600)
}
