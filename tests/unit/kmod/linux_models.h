/* SPDX-License-Identifier: GPL-2.0-only */
/* Intel's models of Linux 7.3, events/intel/core.c, intel_pmu_init() */
#ifndef TEST_LINUX_MODELS_H
#define TEST_LINUX_MODELS_H

#include "families/core.h"

/* By the tables intel_*_event_constraints and intel_*_extra_regs */
enum linux_pmu {
	LINUX_CORE,
	LINUX_CORE2,
	LINUX_NHM,
	LINUX_WSM,
	LINUX_SNB,
	LINUX_SNBEP,
	LINUX_IVB,
	LINUX_IVBEP,
	LINUX_HSW,
	LINUX_BDW,
	LINUX_SKL,
	LINUX_ICL,
	LINUX_GLC,
	LINUX_RWC,
	LINUX_LNC,
	LINUX_PNC,
	LINUX_SLM,
	LINUX_GLM,
	LINUX_TNT,
	LINUX_KNL,
	LINUX_GRT,
	LINUX_CMT,
	LINUX_ARW,
	LINUX_PMUS,
};

/* CPUID.1AH:EAX of a hybrid processor; the lower bits number the microarchitecture */
#define LINUX_TYPE_CORE	0x40000001
#define LINUX_TYPE_ATOM	0x20000001

/* The models of Bonnell and Saltwell have no constraints. */
static const struct linux_model {
	u32 family;
	u32 model;
	u32 core_type;
	enum linux_pmu pmu;
} linux_models[] = {
	{ 6, 0x0e, 0, LINUX_CORE },

	{ 6, 0x0f, 0, LINUX_CORE2 }, { 6, 0x16, 0, LINUX_CORE2 },
	{ 6, 0x17, 0, LINUX_CORE2 }, { 6, 0x1d, 0, LINUX_CORE2 },

	{ 6, 0x1e, 0, LINUX_NHM }, { 6, 0x1a, 0, LINUX_NHM }, { 6, 0x2e, 0, LINUX_NHM },
	{ 6, 0x25, 0, LINUX_WSM }, { 6, 0x2c, 0, LINUX_WSM }, { 6, 0x2f, 0, LINUX_WSM },

	{ 6, 0x2a, 0, LINUX_SNB }, { 6, 0x2d, 0, LINUX_SNBEP },
	{ 6, 0x3a, 0, LINUX_IVB }, { 6, 0x3e, 0, LINUX_IVBEP },

	{ 6, 0x3c, 0, LINUX_HSW }, { 6, 0x3f, 0, LINUX_HSW },
	{ 6, 0x45, 0, LINUX_HSW }, { 6, 0x46, 0, LINUX_HSW },
	{ 6, 0x3d, 0, LINUX_BDW }, { 6, 0x47, 0, LINUX_BDW },
	{ 6, 0x4f, 0, LINUX_BDW }, { 6, 0x56, 0, LINUX_BDW },

	{ 6, 0x4e, 0, LINUX_SKL }, { 6, 0x5e, 0, LINUX_SKL }, { 6, 0x55, 0, LINUX_SKL },
	{ 6, 0x8e, 0, LINUX_SKL }, { 6, 0x9e, 0, LINUX_SKL }, { 6, 0xa5, 0, LINUX_SKL },
	{ 6, 0xa6, 0, LINUX_SKL },

	{ 6, 0x6a, 0, LINUX_ICL }, { 6, 0x6c, 0, LINUX_ICL }, { 6, 0x7d, 0, LINUX_ICL },
	{ 6, 0x7e, 0, LINUX_ICL }, { 6, 0x8c, 0, LINUX_ICL }, { 6, 0x8d, 0, LINUX_ICL },
	{ 6, 0xa7, 0, LINUX_ICL },

	{ 6, 0x8f, 0, LINUX_GLC }, { 6, 0xcf, 0, LINUX_GLC },
	{ 6, 0xad, 0, LINUX_RWC }, { 6, 0xae, 0, LINUX_RWC },
	{ 19, 0x01, 0, LINUX_PNC },

	/* Alder Lake, Raptor Lake */
	{ 6, 0x97, LINUX_TYPE_CORE, LINUX_GLC }, { 6, 0x97, LINUX_TYPE_ATOM, LINUX_GRT },
	{ 6, 0x9a, LINUX_TYPE_CORE, LINUX_GLC }, { 6, 0x9a, LINUX_TYPE_ATOM, LINUX_GRT },
	{ 6, 0xb7, LINUX_TYPE_CORE, LINUX_GLC }, { 6, 0xb7, LINUX_TYPE_ATOM, LINUX_GRT },
	{ 6, 0xba, LINUX_TYPE_CORE, LINUX_GLC }, { 6, 0xba, LINUX_TYPE_ATOM, LINUX_GRT },
	{ 6, 0xbf, LINUX_TYPE_CORE, LINUX_GLC }, { 6, 0xbf, LINUX_TYPE_ATOM, LINUX_GRT },
	/* Meteor Lake, Arrow Lake U */
	{ 6, 0xac, LINUX_TYPE_CORE, LINUX_RWC }, { 6, 0xac, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xaa, LINUX_TYPE_CORE, LINUX_RWC }, { 6, 0xaa, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xb5, LINUX_TYPE_CORE, LINUX_RWC }, { 6, 0xb5, LINUX_TYPE_ATOM, LINUX_CMT },
	/* Lunar Lake, Arrow Lake, Panther Lake, Wildcat Lake; Skymont has Crestmont's registers */
	{ 6, 0xbd, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xbd, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xc5, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xc5, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xc6, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xc6, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xcc, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xcc, LINUX_TYPE_ATOM, LINUX_CMT },
	{ 6, 0xd5, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xd5, LINUX_TYPE_ATOM, LINUX_CMT },
	/* INTEL_PANTHERLAKE_R is not in intel_pmu_init(); intel-family.h: as model CCH */
	{ 6, 0xe5, LINUX_TYPE_CORE, LINUX_LNC }, { 6, 0xe5, LINUX_TYPE_ATOM, LINUX_CMT },
	/* Nova Lake */
	{ 18, 0x01, LINUX_TYPE_CORE, LINUX_PNC }, { 18, 0x01, LINUX_TYPE_ATOM, LINUX_ARW },
	{ 18, 0x03, LINUX_TYPE_CORE, LINUX_PNC }, { 18, 0x03, LINUX_TYPE_ATOM, LINUX_ARW },

	{ 6, 0x37, 0, LINUX_SLM }, { 6, 0x4a, 0, LINUX_SLM }, { 6, 0x4c, 0, LINUX_SLM },
	{ 6, 0x4d, 0, LINUX_SLM }, { 6, 0x5a, 0, LINUX_SLM }, { 6, 0x75, 0, LINUX_SLM },
	{ 6, 0x5c, 0, LINUX_GLM }, { 6, 0x5f, 0, LINUX_GLM }, { 6, 0x7a, 0, LINUX_GLM },
	{ 6, 0x86, 0, LINUX_TNT }, { 6, 0x96, 0, LINUX_TNT }, { 6, 0x9c, 0, LINUX_TNT },
	{ 6, 0x57, 0, LINUX_KNL }, { 6, 0x85, 0, LINUX_KNL },
	{ 6, 0xbe, 0, LINUX_GRT },
	{ 6, 0xaf, 0, LINUX_CMT }, { 6, 0xb6, 0, LINUX_CMT },
	/* Darkmont has Crestmont's registers */
	{ 6, 0xdd, 0, LINUX_CMT },
};

static inline struct pmc_query linux_query(const struct linux_model *model)
{
	return (struct pmc_query){
		.cpu_family = model->family,
		.cpu_model = model->model,
		.core_type = model->core_type,
	};
}

#endif /* TEST_LINUX_MODELS_H */
