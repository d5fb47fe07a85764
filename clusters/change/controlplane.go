// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

// askKubelet prints the pods that the kubelet of the control plane node runs, in the format of an API server.
const askKubelet = "curl --silent --show-error --fail --max-time 5 " + staticpod.Kubelet + "/pods"

// staticPods returns the static pods of the control plane node from its kubelet. Mirror pods in the API server have
// the same content but are updated later: a kubelet that cannot write one, for example while it replaces the API
// server, retries after a minute.
func (c *cluster) staticPods(ctx context.Context) ([]corev1.Pod, error) {
	out, err := c.sh(ctx, c.controlPlane, askKubelet)
	if err != nil {
		return nil, fmt.Errorf("request the pods of the kubelet: %w", err)
	}
	var pods corev1.PodList
	if err := json.Unmarshal([]byte(out), &pods); err != nil {
		return nil, fmt.Errorf("read the kubelet's pods: %w", err)
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.Annotations["kubernetes.io/config.source"] != "file" }), nil
}

// answerTime limits the time of one readiness request to an API server. A starting API server accepts connections
// before it serves them, and may never answer requests on those connections.
const answerTime = 3 * time.Second

// answers returns the reason why the API server is not ready, or nil.
func (c *cluster) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("no answer for %s", answerTime))
	defer cancel()
	return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// podOf returns the name of a component's static pod.
func (c *cluster) podOf(component skew.Component) string {
	return names[component] + "-" + c.controlPlane
}

// inPlace returns the components whose manifests are in the kubelet's folder. Components that are stopped, or whose
// change was interrupted, are not.
func (c *cluster) inPlace(ctx context.Context) ([]*static, error) {
	var all []*static
	for _, component := range skew.StaticComponents() {
		manifest, err := c.readManifest(ctx, component)
		if err != nil {
			return nil, err
		}
		if manifest.where == staticpod.There {
			all = append(all, &static{cluster: c, component: component, manifest: manifest.Manifest})
		}
	}
	return all, nil
}

// recovers returns a function that returns the reason why the control plane has not recovered after its API server or
// its kubelet was replaced. No other process may change the control plane meanwhile.
//
// A kubelet of another release may have restarted containers of static pods, including etcd's: it detects changed
// containers by a hash over the fields that its release knows. Controller manager and scheduler have ended if they
// lost their lease while the API server was not available. A kubelet restarts them with increasing back-off. The
// function replaces such a pod once so that it starts without delay.
func (c *cluster) recovers() func(context.Context) error {
	var all []*static
	return func(ctx context.Context) (err error) {
		if all == nil {
			if all, err = c.inPlace(ctx); err != nil {
				return err
			}
		}
		pods, err := c.staticPods(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			notSettled := s.settledAmong(ctx, pods)
			if notSettled != nil && s.component == skew.APIServer {
				return fmt.Errorf("%s: %w", s.component, notSettled)
			}
			if !s.fresh && errors.Is(notSettled, staticpod.ErrBackOff) {
				notSettled = errors.Join(errRestarted, s.put(ctx, nil))
			}
			if notSettled != nil && err == nil {
				err = fmt.Errorf("%s: %w", s.component, notSettled)
			}
		}
		return errors.Join(err, c.othersReady(pods))
	}
}

// othersReady returns the reason why static pods that do not belong to the components, such as etcd's, are not ready.
func (c *cluster) othersReady(pods []corev1.Pod) error {
	for _, pod := range pods {
		if slices.ContainsFunc(skew.StaticComponents(), func(component skew.Component) bool { return pod.Name == c.podOf(component) }) {
			continue
		}
		if err := staticpod.Ready(&pod); err != nil {
			return fmt.Errorf("static pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

var errRestarted = errors.New("it was in back-off, and has just been restarted")
