/* SPDX-License-Identifier: GPL-2.0-only */
/* Namespaces of process numbers, in unit tests: each test that uses them defines the first */
#ifndef TEST_LINUX_PID_NAMESPACE_H
#define TEST_LINUX_PID_NAMESPACE_H

struct task_struct;

struct pid_namespace {
	int id;
};

extern struct pid_namespace init_pid_ns;

/* Counts references in @id. */
static inline struct pid_namespace *get_pid_ns(struct pid_namespace *ns)
{
	ns->id++;
	return ns;
}

static inline void put_pid_ns(struct pid_namespace *ns)
{
	ns->id--;
}

struct pid_namespace *task_active_pid_ns(struct task_struct *task);
int task_pid_nr_ns(struct task_struct *task, struct pid_namespace *ns);
int task_tgid_nr_ns(struct task_struct *task, struct pid_namespace *ns);

#endif /* TEST_LINUX_PID_NAMESPACE_H */
