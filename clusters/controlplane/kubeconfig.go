// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// users are the users of components, in the files of their kubeconfigs. The names are
// those that Kubernetes' own roles are bound to.
var users = map[string]string{
	kubeControllerManager: "system:kube-controller-manager",
	kubeScheduler:         "system:kube-scheduler",
}

// writeKubeconfigs writes the kubeconfigs of the components to a folder, and that of
// the administrator to its own file.
func (a *authority) writeKubeconfigs(dir, admin, contextName string, port int) error {
	for component, user := range users {
		if err := a.writeKubeconfig(kubeconfigOf(dir, component), contextName, port, user); err != nil {
			return err
		}
	}
	return a.writeKubeconfig(admin, contextName, port, "kubernetes-admin", mastersGroup)
}

func kubeconfigOf(dir, component string) string {
	return filepath.Join(dir, component+".kubeconfig")
}

func (a *authority) writeKubeconfig(path, contextName string, port int, user string, groups ...string) error {
	issued, err := a.client(user, groups...)
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{
		Server: "https://" + address(port), CertificateAuthorityData: a.pem(),
		// It takes more time than the loopback interface takes for large lists.
		DisableCompression: true,
	}
	config.AuthInfos[contextName] = &clientcmdapi.AuthInfo{ClientCertificateData: issued.certificate, ClientKeyData: issued.key}
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	config.CurrentContext = contextName
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return nil
}

// readKubeconfig returns the client configuration of a kubeconfig.
func readKubeconfig(path string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of the control plane: %w", err)
	}
	return config, nil
}
