// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

const (
	// proxyConfigFile is the key of kube-proxy's configuration in its ConfigMap.
	proxyConfigFile = "config.conf"
	// proxyConfigAnnotation is an annotation of the pods that changes with the
	// configuration, which processes only read when they start.
	proxyConfigAnnotation = "draconform.dev/proxy-config"
)

// proxyObjects are the objects that kubeadm created for kube-proxy.
type proxyObjects struct {
	daemonSet *appsv1.DaemonSet
	config    *corev1.ConfigMap
}

func (c *cluster) readProxy(ctx context.Context) (proxyObjects, error) {
	ds, err := c.client.AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, names[skew.Proxy], metav1.GetOptions{})
	if err != nil {
		return proxyObjects{}, fmt.Errorf("read the DaemonSet of kube-proxy: %w", err)
	}
	if len(ds.Spec.Template.Spec.Containers) != 1 {
		return proxyObjects{}, errors.New("read the DaemonSet of kube-proxy: it does not have one container")
	}
	cm, err := c.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, names[skew.Proxy], metav1.GetOptions{})
	if err != nil {
		return proxyObjects{}, fmt.Errorf("read the configuration of kube-proxy: %w", err)
	}
	return proxyObjects{ds, cm}, nil
}

// proxy reads the running configuration of kube-proxy.
func (c *cluster) proxy(ctx context.Context) (skew.Running, error) {
	r := skew.Running{Instance: skew.Instance{Component: skew.Proxy}}
	objects, err := c.readProxy(ctx)
	if err != nil {
		return r, err
	}
	if r.Release, err = staticpod.ReleaseOf(objects.image()); err != nil {
		return r, err
	}
	config := []byte(objects.config.Data[proxyConfigFile])
	if r.Gates, _, err = configuredGates(config, r.Release); err != nil {
		return r, fmt.Errorf("read the configuration of kube-proxy: %w", err)
	}
	if err := rolledOut(objects.daemonSet); err != nil {
		r.Unsettled = err.Error()
	}
	if sum, ok := objects.daemonSet.Spec.Template.Annotations[proxyConfigAnnotation]; ok && sum != sumOf(config) {
		r.Unsettled = "it has not read its configuration"
	}
	return r, nil
}

func (o proxyObjects) image() string { return o.daemonSet.Spec.Template.Spec.Containers[0].Image }

// rolledOut returns the reason why the rollout of a DaemonSet is not complete,
// or nil.
func rolledOut(ds *appsv1.DaemonSet) error {
	status, wanted := ds.Status, ds.Status.DesiredNumberScheduled
	switch {
	case status.ObservedGeneration < ds.Generation:
		return errors.New("its controller has not observed the change")
	case status.UpdatedNumberScheduled < wanted || status.NumberAvailable < wanted:
		return fmt.Errorf("of %d pods, %d are updated and %d are ready", wanted, status.UpdatedNumberScheduled, status.NumberAvailable)
	}
	return nil
}

func sumOf(config []byte) string {
	sum := sha256.Sum256(config)
	return hex.EncodeToString(sum[:8])
}

// proxySettings are the settings that a change of kube-proxy modifies. Other
// content of its objects is kept.
type proxySettings struct {
	image, config string
	// sum is the value of proxyConfigAnnotation, empty if there is none.
	sum string
}

func (o proxyObjects) settings() proxySettings {
	return proxySettings{o.image(), o.config.Data[proxyConfigFile], o.daemonSet.Spec.Template.Annotations[proxyConfigAnnotation]}
}

func (o proxyObjects) set(s proxySettings) {
	template := &o.daemonSet.Spec.Template
	template.Spec.Containers[0].Image = s.image
	if s.sum == "" {
		delete(template.Annotations, proxyConfigAnnotation)
	} else {
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, proxyConfigAnnotation, s.sum)
	}
	o.config.Data[proxyConfigFile] = s.config
}

// proxyChange returns the change of kube-proxy for a step.
func (c *cluster) proxyChange(ctx context.Context, s skew.Step) (changing, error) {
	objects, err := c.readProxy(ctx)
	if err != nil {
		return changing{}, err
	}
	was := objects.settings()
	config, err := configure([]byte(was.config), s.From, s.To, nil)
	if err != nil {
		return changing{}, fmt.Errorf("change the configuration of kube-proxy: %w", err)
	}
	wanted := was
	wanted.image = staticpod.WithTag(was.image, s.To.Release)
	if !s.From.Gates.Equal(s.To.Gates) || s.From.Unsettled != "" {
		wanted.config, wanted.sum = string(config), sumOf(config)
	}
	ready := func(ctx context.Context) error {
		now, err := c.readProxy(ctx)
		if err != nil {
			return err
		}
		return rolledOut(now.daemonSet)
	}
	return changing{
		apply: func(ctx context.Context) error { return c.putProxy(ctx, wanted) }, ready: ready,
		restore: func(ctx context.Context) error { return c.putProxy(ctx, was) }, restored: ready,
		log: c.proxyLog,
	}, nil
}

// putProxy writes the settings to kube-proxy's objects.
func (c *cluster) putProxy(ctx context.Context, s proxySettings) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now, err := c.readProxy(ctx)
		if err != nil {
			return err
		}
		now.set(s)
		if _, err := c.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Update(ctx, now.config, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("write the configuration of kube-proxy: %w", err)
		}
		if _, err := c.client.AppsV1().DaemonSets(metav1.NamespaceSystem).Update(ctx, now.daemonSet, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("write the DaemonSet of kube-proxy: %w", err)
		}
		return nil
	})
}

// proxyLog returns the reason why the first unready pod of kube-proxy is not
// ready, and the end of its log.
func (c *cluster) proxyLog(ctx context.Context) string {
	return lastLines(ctx, func(ctx context.Context) (string, error) {
		pods, err := c.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "k8s-app=" + names[skew.Proxy]})
		if err != nil {
			return "", err
		}
		for _, pod := range pods.Items {
			if notReady := staticpod.Ready(&pod); notReady != nil {
				out, err := c.client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: ptr.To[int64](15)}).DoRaw(ctx)
				if err != nil { // the container has not run
					out = []byte(err.Error())
				}
				return fmt.Sprintf("%s: %s\n%s", pod.Name, notReady, out), nil
			}
		}
		return "", nil
	})
}
